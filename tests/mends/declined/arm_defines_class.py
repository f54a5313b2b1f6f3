# declined: a class is defined here
import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        class Scale:
            by = 2

        x = x @ x * Scale.by
    return x
