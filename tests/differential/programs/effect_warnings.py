# whole
# training: whole
# inductor
"""Warnings: each place once, categories, and the caller's place by `stacklevel`."""

import warnings

import torch


class Old(UserWarning):
    pass


def helper(x, name):
    warnings.warn(f"{name} is old", FutureWarning, stacklevel=2)
    warnings.warn("plain")
    warnings.warn("of a class", Old, stacklevel=1)
    return x * 2


class Warns(torch.nn.Module):
    def forward(self, x, name):
        x = helper(x, name)
        x = helper(x, name)
        warnings.warn("in forward", category=DeprecationWarning)
        return x + 1


def make():
    row = torch.tensor([1.0, 2.0])
    return Warns(), [(row, "a"), (row, "a"), (-row, "a")]
