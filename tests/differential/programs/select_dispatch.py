# whole
"""One function with a tensor and with Python numbers as its predicate."""

import torch


def choose(x, p):
    if p > 0:
        x = x + 1
    return x * 2


def make():
    row = torch.tensor([1.0, 2.0])
    return choose, [(row, torch.tensor(1.0)), (row, torch.tensor(-1.0)), (row, 2), (row, -2.5)]
