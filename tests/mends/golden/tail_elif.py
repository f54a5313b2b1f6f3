import torch


def kinds(x: torch.Tensor):
    y = x * 2
    if x.sum() > 10:
        return x
    elif x.sum() > 0:
        y = None
    return y
