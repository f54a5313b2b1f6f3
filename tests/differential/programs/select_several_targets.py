# whole
"""Arms that assign several names, some twice, some that nobody reads."""

import torch


def choose(x, y):
    z = x + y
    w = z - 1
    if (x > y).all():
        limit = x.abs()
        z = limit + y
        z = z + 1
        w = w + z
    else:
        z = x - y
        unused = z * 2  # noqa: F841
    return z, w + 0


def make():
    one, two = torch.tensor([1.0, 2.0]), torch.tensor([3.0, -4.0])
    return choose, [(one, two), (one, one - 1), (two, one)]
