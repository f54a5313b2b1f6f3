# whole
"""Several checks; the first that is true decides."""

import torch


def check(x, y):
    if x.min() < 0:
        raise ValueError("x is negative")
    assert y.min() >= 0, "y is negative"
    z = x + y
    if not torch.isfinite(z).all():
        raise OverflowError(f"z is {z.sum().item()}")
    if z.max() > 10:
        raise KeyError("large")
    return z


def make():
    good, bad = torch.tensor([1.0, 2.0]), torch.tensor([-1.0, 2.0])
    infinite, large = good / 0, good * 20
    return check, [
        (good, good),
        (bad, good),
        (good, bad),
        (bad, bad),
        (infinite, good),
        (large, good),
    ]
