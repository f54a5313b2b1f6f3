# function: outer.inner
import torch

COUNT = 0


def outer():
    total = 0
    last = None

    def inner(x: torch.Tensor):
        """Counts."""
        global COUNT
        COUNT += 1
        if x is not None:
            nonlocal total, last
            total += 1
        if x.sum() > 0:
            x = x + 1
        last = x
        return x

    return inner, total, last
