import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        x += 1
    return x
