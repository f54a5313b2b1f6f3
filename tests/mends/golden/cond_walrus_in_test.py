import torch


def choose(x: torch.Tensor):
    if (total := x.sum()) > 0:
        x = x @ total
    return x, total
