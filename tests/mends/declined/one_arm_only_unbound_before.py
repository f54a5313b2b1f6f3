# declined: 'y' is bound in one arm only and read later
import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        y = x + 1
    else:
        z = x
    return y
