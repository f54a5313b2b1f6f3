# left: an object made while tracing
"""An operand that can't be handed over: the graph breaks there, as it always did."""

import torch


class Plain:
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"Plain({self.value})"


def talk(x):
    made = Plain(3)
    print(made)
    return x + 1


def make():
    return talk, [(torch.tensor([1.0, 2.0]),)]
