# left: not seen that the places
"""Values that cancel each other: a place is left out though its slice is not zero."""

import torch


def step(x):
    x = x @ torch.eye(2)
    out = torch.zeros_like(x)
    for i in (x.sum(1) != 0).nonzero().flatten():
        (at,) = torch.where(x[i] > 0)
        out[i, at] = x[i, at] * 2
    return out


def make():
    return step, [(torch.tensor([[1.0, -1.0], [2.0, 1.0]]),), (torch.tensor([[1.0, 1.0], [3.0, -3.0]]),)]
