# left: different shapes
"""The arms give other shapes: a selection would broadcast."""

import torch


def choose(x):
    if x.sum() > 0:
        x = x.sum()
    return x + 1


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row,), (-row,)]
