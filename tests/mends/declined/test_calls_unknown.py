# declined: the test may be evaluated twice, and what check() does is not known
import torch


def choose(x: torch.Tensor):
    if x.sum() > 0 and check(x):
        x = x + 1
    return x
