# whole
# training: left: gradient
"""Arms that only name values computed before: a zero gradient into a square root is NaN."""

import torch


def choose(x):
    root = torch.sqrt(x)
    double = x * 2
    if x.sum() > 100:
        y = root
    else:
        y = double
    return y * 3


def make():
    return choose, [(torch.tensor([0.0, 4.0]),), (torch.tensor([144.0, 4.0]),)]
