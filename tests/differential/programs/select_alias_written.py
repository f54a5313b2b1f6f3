# left: stays visible
"""What is written in place after the branch is seen through the other name."""

import torch


def choose(x):
    y = x * 2
    z = y
    if x.sum() > 0:
        z = y + 1
    z.add_(10)
    return y, z + 0


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row,), (-row,)]
