# left: an iteration
"""What an iteration calls counts in a variable of the module."""

import torch

VISITS = 0


def visit(x):
    global VISITS
    VISITS += 1
    return x * 2


def step(x):
    x = x @ torch.eye(2)
    hot = x > 1
    out = torch.zeros_like(x)
    for i in hot.any(1).nonzero().flatten().tolist():
        (at,) = torch.where(hot[i])
        out[i, at] += visit(x[i, at])
    return out


def make():
    return step, [(torch.tensor([[0.5, 0.25], [2.0, 1.0]]),), (torch.tensor([[3.0, 0.0], [0.0, 0.5]]),)]
