import torch


def choose(x: torch.Tensor):
    y = x + 1
    if x.sum() > 0:
        x = x + 1
    return y
