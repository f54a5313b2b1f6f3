import torch


def choose(x: torch.Tensor, flag, other):
    if not (flag or not torch.isfinite(x).all()) and other:
        x = x + 1
    return x
