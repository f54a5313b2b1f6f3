# left: stays visible
"""A view of the value that is kept, written through after the branch."""

import torch


def choose(x):
    y = x * 2
    view = y[0:1]
    if x.sum() > 0:
        y = y + 1
    y.mul_(3)
    return view + 0, y


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row,), (-row,)]
