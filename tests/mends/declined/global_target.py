# declined: 'LAST', which other functions see
import torch

LAST = None


def choose(x: torch.Tensor):
    global LAST
    if x.sum() > 0:
        LAST = x + 1
    return x
