# whole
"""Predicates of other dtypes, and one-element predicates of one dimension."""

import torch


def choose(x, y):
    y = y * 1
    if x.sum():
        y = y + 1
    if y[:1] - 2:
        y = y * 3
    if not x.any():
        y = y - 5
    return y


def make():
    row = torch.tensor([1, 2])
    return choose, [(row, row), (row * 0, row), (row - row.flip(0), row + 1), (row, row.float())]
