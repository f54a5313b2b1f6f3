# whole
"""An `elif` whose first test is Python's."""

import torch


def choose(x, mode):
    if mode == "none":
        x = x - 3
    elif x.sum() > 0:
        x = x + 1
    else:
        x = x - 1
    return x * 2


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row, "none"), (row, "a"), (-row, "a")]
