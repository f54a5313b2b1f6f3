# declined: no site
import torch


def show(x: torch.Tensor, print):
    print(x)
    return x
