import torch


def choose(x: torch.Tensor, n: int):
    if x.sum() > 0:
        y = 1 / n
    else:
        y = 0.0
    return x * y
