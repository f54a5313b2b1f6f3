# left: that has a view in use
"""An arm that writes a tensor in place of which a view is used in it too."""

import torch


def choose(x):
    y = x * 2
    view = y[0:1]
    if x.sum() > 0:
        y.mul_(3)
        y = y + view
    return y


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row,), (-row,)]
