# whole
# training: left: depend on different parameters
"""An arm that would raise where it does not run."""

import torch


def look_up(x, table, index):
    y = x + 1
    if index.max() < 3:
        y = y * table[index].sum()
    return y * 2


def make():
    table = torch.tensor([1.0, 2.0, 3.0])
    row = torch.tensor([1.0, 2.0])
    return look_up, [(row, table, torch.tensor([0, 2])), (row, table, torch.tensor([1, 7]))]
