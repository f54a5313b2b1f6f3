# whole
# training: left: may not be finite
"""The square root of what is negative would poison the gradient of the other arm."""

import torch


def root(x):
    y = x * 1
    if (x >= 0).all():
        y = torch.sqrt(y)
    return y * 3


def make():
    return root, [(torch.tensor([1.0, 4.0]),), (torch.tensor([-1.0, 4.0]),)]
