# declined: 'y' may be unbound here
import torch


def choose(x: torch.Tensor, flag):
    if flag:
        y = x
    if x.sum() > 0 and y.sum() > 0:
        x = x + 1
    return x
