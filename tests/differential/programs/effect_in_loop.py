# whole
"""One site that runs several times, with Python values that differ."""

import torch


def loop(x, names):
    for number, name in enumerate(names):
        x = x * 2
        print(number, name, x.sum().item())
        if x.sum() > 20:
            print("large at", name)
    return x


def make():
    row = torch.tensor([1.0, 2.0])
    return loop, [(row, ["a", "b", "c"]), (row, ["a"]), (row * 2, ["a", "b", "c"])]
