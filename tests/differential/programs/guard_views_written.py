# whole
"""Writes through views and slices of arguments before a check stay, and happen once."""

import torch


def check(x, table, index):
    table[index] += x
    row = table[0]
    row.mul_(2)
    table.t()[1].sub_(1)
    x.clamp_(min=-5)
    if x.sum() < 0:
        raise ValueError("negative")
    table.add_(100)
    return table.sum() + x


def make():
    row = torch.tensor([1.0, 2.0])
    table = torch.arange(6.0).reshape(3, 2)
    return check, [(row, table, 1), (-row * 4, table, 2), (-row, table, 0), (row, table, 0)]
