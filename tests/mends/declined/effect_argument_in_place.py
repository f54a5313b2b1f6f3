# declined: an argument may change something: what .add_() does is not known
import torch


def show(x: torch.Tensor):
    print(x.add_(1))
    return x
