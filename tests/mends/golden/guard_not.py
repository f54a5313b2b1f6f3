import torch


def check(x: torch.Tensor):
    if not torch.isfinite(x).all():
        raise ValueError("not finite")
    return x
