# declined: 'y' is bound in one arm only and read later
import torch


def choose(x: torch.Tensor, flag):
    if flag:
        y = x
    if x.sum() > 0:
        y = x + 1
    return y
