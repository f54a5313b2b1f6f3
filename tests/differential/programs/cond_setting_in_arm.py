# whole
# training: left: changes a setting of torch
"""An arm changes the gradient mode for what follows."""

import torch


def step(x):
    if x.sum() > 0:
        torch.set_grad_enabled(False)
    y = x * 2
    recorded = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    return y, recorded


def make():
    row = torch.tensor([1.0, 2.0])
    return step, [(row,), (-row,), (row * 3,), (row * 0,)]
