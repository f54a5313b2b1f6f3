import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        x[0] = 1
    return x
