# whole
# training: whole
"""A message that is computed from tensors, in several lines."""

import torch


def check(x, name, limit):
    y = x * 2
    if y.max() > limit:
        worst = y.max().item()
        raise RuntimeError(
            f"{name}: {worst:.3f} of {tuple(y.shape)} is over {limit} ({y.tolist()})"
        )
    return y + 1


def make():
    row = torch.tensor([1.0, 2.0])
    return check, [(row, "a", 10.0), (row, "a", 3.0), (row * 2, "b", 3.0), (row, "b", 10.0)]
