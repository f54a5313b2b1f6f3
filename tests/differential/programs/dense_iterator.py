# left: an iteration
"""An iteration takes from an iterator."""

import torch


def step(x):
    x = x @ torch.eye(2)
    hot = x > 1
    factors = iter([2.0, 3.0, 4.0])
    out = torch.zeros_like(x)
    for i in hot.any(1).nonzero().flatten().tolist():
        (at,) = torch.where(hot[i])
        out[i, at] += x[i, at] * next(factors)
    return out


def make():
    return step, [(torch.tensor([[0.5, 0.25], [2.0, 1.0]]),), (torch.tensor([[3.0, 0.0], [0.0, 0.5]]),)]
