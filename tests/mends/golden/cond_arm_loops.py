import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        for _ in range(3):
            x = x + 1
    return x
