# left: not exactly one element
"""The truth of several elements is an error, and stays one."""

import torch


def choose(x):
    x = x + 1
    if x > 0:
        x = x + 1
    return x * 2


def make():
    return choose, [(torch.tensor([1.0]),), (torch.tensor([1.0, 2.0]),), (torch.tensor([-2.0]),)]
