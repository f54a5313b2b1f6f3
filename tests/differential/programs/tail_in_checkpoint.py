# whole
# training: whole
"""A branch in a function whose activations are computed again for the gradient."""

import torch
from torch.utils.checkpoint import checkpoint


def inner(x):
    if x.sum() > 0:
        return x.sin()
    return x.cos()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        return checkpoint(inner, x * self.weight, use_reentrant=False)


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,)]
