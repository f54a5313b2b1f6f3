# whole
"""Arms return Python values and containers that differ."""

import torch


def step(x):
    if x.sum() > 0:
        return x, 1
    return (-x,)


def make():
    row = torch.tensor([1.0, 2.0])
    return step, [(row,), (-row,), (row * 3,)]
