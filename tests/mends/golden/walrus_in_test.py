import torch


def walrus(x: torch.Tensor):
    if (n := len(x)) > 2:
        x = x + n
    if (total := x.sum()) > 0:
        print(total)
    return x
