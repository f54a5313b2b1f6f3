# left: Dynamo may call __
# training: left: Dynamo may call __
"""Prints in methods that Dynamo calls more often than Python, or while it checks guards."""

import torch


class Thing:
    __hash__ = None

    def __init__(self, value):
        print("made", value)
        self.value = value

    def __eq__(self, other):
        print("equal", self.value)
        return isinstance(other, Thing) and self.value == other.value

    def __lt__(self, other):
        print("less")
        return self.value < other.value

    def __contains__(self, value):
        print("contains")
        return value == self.value

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        print("attribute", name)
        return 3

    def __call__(self, x):
        print("call")
        return x + self.value


def forward(x, one, two):
    x = x * one.missing + getattr(one, "third", 5)
    if one in [two, one]:
        x = x + 1
    if one != two and one < two:
        x = x + 2
    if 1 in one:
        x = x + 3
    return Thing(4)(x)


def make():
    row = torch.tensor([1.0, 2.0])
    things = Thing(1), Thing(2)
    return forward, [(row, *things), (row, *things)]
