# whole
"""Decorators: `functools.wraps`, `torch.no_grad()`, and one that counts."""

import functools

import torch

COUNTS = {}


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        COUNTS[function.__name__] = COUNTS.get(function.__name__, 0) + 1
        result = function(*args, **kwargs)
        if result.sum() > 50:
            print(function.__name__, "is large")
        return result

    return wrapper


class Model(torch.nn.Module):
    @counted
    @torch.no_grad()
    def forward(self, x, *, scale=2):
        x = x + 0
        if x.sum() > 0:
            x = x * scale
        return self.finish(x)

    @counted
    def finish(self, x):
        if x.sum() < -10:
            raise ValueError("small")
        return x + 1


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,), (row * 20,), (row * -20,)]
