# declined: no site
import torch


def print(*values):
    return values


def show(x: torch.Tensor):
    print(x)
    return x
