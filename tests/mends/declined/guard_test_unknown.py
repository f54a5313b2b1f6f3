# declined: the test may be evaluated twice, and what is_bad() does is not known
import torch


def check(x: torch.Tensor):
    if x.any() and is_bad(x):
        raise ValueError("bad")
    return x
