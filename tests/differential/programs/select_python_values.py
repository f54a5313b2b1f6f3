# left: Python values that differ
"""The arms choose a Python number."""

import torch


def choose(x):
    if x.sum() > 0:
        scale = 2.0
    else:
        scale = 3.0
    return x * scale, scale


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row,), (-row,)]
