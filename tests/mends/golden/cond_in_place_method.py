import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        x = x.add_(1)
    return x
