# declined: leaves the loop
import torch


def choose(x: torch.Tensor):
    for _ in range(3):
        if x.sum() > 0:
            break
        x = x + 1
    return x
