import torch


def choose(x: torch.Tensor):
    for _ in range(3):
        if x.sum() > 0:
            continue
        x = x + 1
    return x
