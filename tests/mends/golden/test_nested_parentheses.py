import torch


def choose(x: torch.Tensor, y: torch.Tensor):
    if (((x.sum() > 0) and ((y.sum() > 0)))):
        x = ((x + 1))
    return (x)
