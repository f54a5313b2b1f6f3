# whole
"""Sizes that become symbols, joined with tensors in one test."""

import torch


def choose(x, limit):
    x = x * 1
    if x.shape[0] > limit and x.sum() > 0:
        x = x + 1
    if x.sum() < 0 or x.numel() > 5:
        x = x * 2
    return x * 1


def make():
    return choose, [(torch.ones(n) * sign, 3) for n in (2, 4, 6, 9) for sign in (1, -1)]
