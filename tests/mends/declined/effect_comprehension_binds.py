# declined: an argument may change something
import torch


def show(x: torch.Tensor, xs):
    print([y.pop() for y in xs])
    return x
