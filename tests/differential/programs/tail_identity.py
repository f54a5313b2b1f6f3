# whole
"""What comes out is the very tensor that went in, where eager code gives it back."""

import torch


def scaled(x):
    if x.sum() > 0:
        x = x @ x
    return x


def make():
    row = torch.tensor([1.0, 2.0])
    return scaled, [(row,), (-row,)]
