# left: may not be hit
"""What an iteration finds is in a copy of the mask that was written."""

import torch


def step(x):
    x = x @ torch.eye(2)
    hot = x > 1
    out = torch.zeros_like(x)
    for i in hot.any(1).nonzero().flatten().tolist():
        wide = hot.float()
        wide += 1
        (at,) = torch.where(wide[i])
        out[i, at] += x[i, at]
    return out


def make():
    return step, [(torch.tensor([[0.5, 0.25], [2.0, 1.0]]),), (torch.tensor([[3.0, 0.0], [0.0, 0.5]]),)]
