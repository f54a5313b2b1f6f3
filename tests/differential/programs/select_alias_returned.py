# left: stays visible
"""Where the branch is not taken, the result is the very tensor that was passed in."""

import torch


def choose(x):
    if x.sum() > 0:
        x = x + 1
    return x


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row,), (-row,)]
