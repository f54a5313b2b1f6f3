import torch


def show(x: torch.Tensor):
    if x.sum() > 0:
        print(summary(x))
    return x
