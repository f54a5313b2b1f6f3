# declined: the test may be evaluated twice, and it binds a name
import torch


def choose(x: torch.Tensor):
    if x.any() and (y := x.sum()) > 0:
        x = x + y
    return x
