# whole
"""A chain whose arms return values of different shapes and kinds."""

import torch


def kinds(x):
    if x.sum() > 10:
        return x
    elif x.sum() > 0:
        return x[:1] + 0, "short"
    elif x.max() > 3:
        return None
    return {"x": x - 1, "n": 3}


def make():
    rows = [[10.0, 2.0], [1.0, 2.0], [4.0, -9.0], [-1.0, -2.0]]
    return kinds, [(torch.tensor(row),) for row in rows]
