# whole
"""`low < x <= high` on tensors and Python numbers."""

import torch


def choose(x, low, high):
    x = x * 1
    if low < x.sum() <= high:
        x = x + 1
    if 0 < low < x.max():
        x = x * 2
    return x


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row, 0, 10), (row, 3, 10), (row, -1, 3), (row, 1, 2)]
