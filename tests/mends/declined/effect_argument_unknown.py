# declined: an argument may change something: what summary() does is not known
import torch


def show(x: torch.Tensor):
    print(summary(x))
    return x
