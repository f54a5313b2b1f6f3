# declined: leaves the loop
import torch


def choose(x: torch.Tensor, flags: list):
    for flag in flags:
        if x.sum() > 0:
            continue
        if flag:
            break
        x = x + 1
    return x
