# declined: is deleted in an arm
import torch


def choose(x: torch.Tensor, y):
    if x.sum() > 0:
        del y
    return x
