import torch


def choose(x: torch.Tensor, low, high):
    if low < x.sum() <= high < 100:
        x = x + 1
    return x
