import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        x = x + x.max().item()
    return x
