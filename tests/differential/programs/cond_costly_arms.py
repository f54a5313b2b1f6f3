# whole
# training: whole
# inductor
"""Arms that are too costly to run both: one matrix product each."""

import torch


def choose(x, w):
    y = x * 2
    if y.sum() > 0:
        y = y @ w
    else:
        y = (y - 1) @ w.t()
    return y + 1


def make():
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    row = torch.tensor([[1.0, 2.0]])
    return choose, [(row, w), (-row, w)]
