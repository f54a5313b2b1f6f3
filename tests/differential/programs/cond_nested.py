# whole
# training: left: depend on different parameters
"""Branches in branches."""

import torch


def nested(x, w):
    y = x * 1
    if y.sum() > 0:
        if y.max() > 3:
            y = y @ w
        else:
            y = y @ w * 5
    return y + 1


def make():
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    rows = [[1.0, 2.0], [4.0, 2.0], [-1.0, -2.0]]
    return nested, [(torch.tensor(row), w) for row in rows]
