# left: stays visible
"""Unary plus gives the very tensor back."""

import torch


def choose(x):
    if x.sum() > 0:
        x = x + 1
    y = +x
    y.add_(1)
    return y * 2


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row,), (-row,)]
