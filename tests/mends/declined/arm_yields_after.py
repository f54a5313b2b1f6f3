# declined: the function is suspended here
import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        return
    yield x
