# whole
# training: whole
"""Assertions with and without a message, negated, and joined."""

import torch


def check(x, y, limit):
    assert (x > 0).all(), f"not positive: {x.min().item()}"
    assert not torch.isnan(y).any()
    assert x.sum() > y.sum() and y.sum() > limit, ("a tuple", limit)
    assert limit < 100 or x.any()
    return x + y


def make():
    two, one = torch.tensor([2.0, 2.0]), torch.tensor([1.0, 1.0])
    return check, [
        (two, one, 0),
        (-two, one, 0),
        (two, one / 0 * 0, 0),
        (one, two, 0),
        (two, one, 5),
    ]
