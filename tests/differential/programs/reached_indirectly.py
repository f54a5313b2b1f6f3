# whole
"""Functions reached through tables, partials, attributes, defaults and other modules' names."""

import functools

import torch


def up(x, by=1):
    if x.sum() > 0:
        x = x + by
    return x * 1


def down(x, by=1):
    if x.sum() < 0:
        print("down", by)
    return x - by


class Caller:
    def __call__(self, x):
        assert not x.isnan().any(), "NaN"
        return x


TABLE = {"up": up, "down": [down, functools.partial(up, by=5)]}
call = Caller()


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = [down, functools.partial(down, by=3)]

    def forward(self, x, key="up", then=up):
        x = TABLE[key](x) if key == "up" else TABLE[key][1](x)
        for step in self.steps:
            x = step(x)
        return call(then(x))


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row, "down"), (row * 9, "down"), (row * float("nan"),)]
