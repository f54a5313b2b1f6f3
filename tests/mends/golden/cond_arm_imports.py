import torch


def choose(x: torch.Tensor):
    if x.sum() > 0:
        import math
    else:
        math = None
    return x, math
