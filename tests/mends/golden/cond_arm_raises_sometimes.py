import torch


def choose(x: torch.Tensor, flag: bool):
    if x.sum() > 0:
        if flag:
            raise ValueError
        x = x + 1
    return x
