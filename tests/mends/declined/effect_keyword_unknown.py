# declined: an argument may change something: what open_log() does is not known
import torch


def show(x: torch.Tensor):
    print(x, file=open_log())
    return x
