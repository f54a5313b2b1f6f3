# declined: it suspends the function
import torch


def choose(x: torch.Tensor):
    y = None
    if x.sum() > 0:
        y = yield x
    yield y
