import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        x = normalise(x)
    return x
