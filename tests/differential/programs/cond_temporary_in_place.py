# whole
"""An arm that writes a tensor of the function in place, which is given back."""

import torch


def choose(x):
    y = x * 2
    if x.sum() > 0:
        y.mul_(3)
        y[0] = 7
    return y


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row,), (-row,)]
