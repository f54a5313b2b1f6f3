import torch


def check(x: torch.Tensor):
    if x.sum() > 0:
        if x.any():
            raise ValueError
        else:
            raise KeyError("inner") from None
    y = x + 1
    return y
