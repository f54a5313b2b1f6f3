# left: different strides
"""The arms give other strides, which a caller can see."""

import torch


def choose(x):
    if x.sum() > 0:
        x = x.t()
    return x


def make():
    rows = torch.arange(4.0).reshape(2, 2)
    return choose, [(rows + 1,), (-rows,)]
