# left: data-dependent
"""The places are those of whole numbers; what an iteration finds are others, too."""

import torch


def step(x):
    x = x @ torch.eye(2)
    out = torch.zeros_like(x)
    for i in x.int().bool().any(1).nonzero().flatten().tolist():
        (at,) = torch.where(x[i])
        out[i, at] += x[i, at]
    return out


def make():
    return step, [(torch.tensor([[0.5, 0.25], [2.0, 1.0]]),), (torch.tensor([[1.0, 0.0], [0.0, 0.5]]),)]
