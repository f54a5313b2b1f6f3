import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        x = x + torch.rand_like(x)
    return x
