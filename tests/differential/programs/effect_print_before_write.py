# whole
"""A printed tensor is written in place afterwards: what counts is its value then."""

import torch


def talk(x):
    y = x * 2
    print(y)
    y.add_(1)
    print("after", y, x)
    x.mul_(3)
    print(x)
    return y


def make():
    return talk, [(torch.tensor([1.0, 2.0]),), (torch.tensor([3.0, 4.0]),)]
