# whole
"""What `and` and `or` give is the operand, whose truth the host knows before the region."""

import torch


def step(x, count):
    either = (x.sum() > 0) or x
    both = x.min() and x
    return either, both, count and x, not x.sum()


def make():
    row = torch.tensor([1.0, 2.0])
    return step, [(row, 0), (-row, 2), (row * 0, 1)]
