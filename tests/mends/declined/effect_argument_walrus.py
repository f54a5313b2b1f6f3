# declined: an argument may change something: it binds a name
import torch


def show(x: torch.Tensor):
    print(y := x + 1)
    return y
