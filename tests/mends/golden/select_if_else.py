import torch


def choose(x: torch.Tensor, scale):
    if x.sum() > 0:
        y = x * 2 + scale
    else:
        y = x - scale
    return y
