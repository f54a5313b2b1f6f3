# left: stays visible
"""The value is written in place after the branch, by another name than is read."""

import torch


def choose(x):
    y = x * 2
    z = y
    if x.sum() > 0:
        z = y + 1
    y.add_(10)
    return z + 0


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row,), (-row,)]
