# function: outer.inner
import torch


def outer(limit, scale):
    def inner(x: torch.Tensor):
        if x.sum() > limit:
            x = x * 2 + scale
        return x

    return inner
