import torch


def choose(x: torch.Tensor, n):
    if x.sum() > 0:
        x = x // n
    return x
