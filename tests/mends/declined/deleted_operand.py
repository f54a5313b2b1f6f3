# declined: 'y' may be unbound here
import torch


def choose(x: torch.Tensor, y):
    del y
    if x.sum() > 0:
        x = x + y
    return x
