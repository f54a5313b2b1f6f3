import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        return x + 1
    return x
