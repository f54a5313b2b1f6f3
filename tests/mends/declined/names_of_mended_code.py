# declined: names that begin like those of mended code
import torch


def choose(x: torch.Tensor):
    __gm_p0 = x + 1
    if x.sum() > 0:
        x = x + __gm_p0
    return x
