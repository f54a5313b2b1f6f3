# function: outer.inner
import torch


def outer(seen):
    def inner(x: torch.Tensor, w):
        nonlocal seen
        scale = 2
        if x.sum() > 0:
            seen = x
            scale = w @ w
        return [scale * row for row in x]

    return inner
