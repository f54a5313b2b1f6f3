# function: outer.inner
import torch


def outer(last):
    def inner(x: torch.Tensor):
        nonlocal last
        if x.sum() > 0:
            last = x + 1
        return x

    return inner
