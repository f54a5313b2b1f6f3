# left: advances an iterator
"""An arm takes the next item of an iterator that is older than the branch."""

import torch


def step(x):
    factors = iter([1, 2, 3])
    if x.sum() > 0:
        next(factors)
    return x * next(factors)


def make():
    row = torch.tensor([1.0, 2.0])
    return step, [(row,), (-row,)]
