# declined: this operand would be evaluated although Python may skip it, and indexing may raise
import torch


def choose(x: torch.Tensor, ys, i):
    if x.sum() > 0 and ys[i]:
        x = x + 1
    return x
