import torch


def choose(x: torch.Tensor, y: torch.Tensor):
    z = x + y
    if (x > y).all():
        x = x - 1
        limit = x.abs()
        y = limit + x
        unused = y
    else:
        z = x
    return x, y, z
