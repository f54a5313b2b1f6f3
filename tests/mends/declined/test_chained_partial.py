# declined: this operand would be evaluated although Python may skip it, and indexing may raise
import torch


def choose(x: torch.Tensor, limits):
    if limits[0] < x.sum() < limits[1]:
        x = x + 1
    return x
