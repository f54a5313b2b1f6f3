# declined: the function looks at its own variables
import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        x = x + 1
    return eval("x")
