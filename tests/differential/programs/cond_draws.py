# whole
# training: left: draws random numbers
"""An arm that draws moves the generator only when it runs."""

import torch


def noisy(x):
    y = x * 2
    if y.sum() > 0:
        y = y + torch.rand(2)
    return y + torch.rand(2)


def make():
    row = torch.tensor([1.0, 2.0])
    return noisy, [(row,), (-row,), (row,)]
