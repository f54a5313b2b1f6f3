import torch


def choose(x: torch.Tensor, k):
    y = 0.0
    if x.sum() > 0:
        n = k - 1
        y = n / n
    return x * y
