import torch


def choose(x: torch.Tensor, xs):
    if x.sum() > 0:
        x = torch.stack([y + 1 for y in xs])
    return x
