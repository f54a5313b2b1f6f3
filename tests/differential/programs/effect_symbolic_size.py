# whole
"""Sizes that become symbols when the length changes are printed as numbers."""

import torch


def talk(x):
    n = x.shape[0]
    print("length", n, x.shape, n * 2 + 1, f"{n:03d}", x.numel() / 2)
    if x.sum() > 100:
        raise ValueError(f"{n} are too many")
    return x * n


def make():
    return talk, [(torch.ones(n),) for n in (3, 5, 7, 200)]
