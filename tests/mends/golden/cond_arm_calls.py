import torch


def choose(x: torch.Tensor, sink):
    if x.sum() > 0:
        sink(x)
    return x
