# declined: this operand would be evaluated although Python may skip it, and a matrix product
import torch


def choose(x: torch.Tensor, w):
    if x.sum() > 0 or (x @ w).any():
        x = x + 1
    return x
