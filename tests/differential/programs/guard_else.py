# whole
"""The arm that goes on is the first, or comes after `elif`."""

import torch


def check(x, mode):
    if x.sum() > 0:
        y = x + 1
    else:
        raise ValueError("not positive")
    if mode == "plain":
        pass
    elif y.sum() > 10:
        raise ValueError("large")
    else:
        y = y * 2
    return y


def make():
    row = torch.tensor([1.0, 2.0])
    return check, [(row, "a"), (-row, "a"), (row * 9, "a"), (row * 9, "plain")]
