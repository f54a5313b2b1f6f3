# declined: binds a name only sometimes
import torch


def choose(x: torch.Tensor, flag):
    y = x
    if (y := x.sum()) > 0 if flag else x.max() > 0:
        x += x @ y
    return x, y
