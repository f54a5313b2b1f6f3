# whole
"""A closure that reads and writes variables of its maker."""

import torch

CELLS = []


def build(limit):
    calls = 0
    offset = torch.tensor([1.0, 1.0])

    def step(x):
        nonlocal calls
        calls += 1
        x = x * 1
        if x.sum() > limit:
            x = x + offset
        if x.sum() < -limit:
            raise ValueError(f"call {calls}")
        return x * 2

    CELLS[:] = [lambda: calls]
    return step


def probe():
    return [cell() for cell in CELLS]


def make():
    row = torch.tensor([1.0, 2.0])
    return build(2), [(row,), (-row,), (row * 0,), (row,)]
