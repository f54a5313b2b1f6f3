import torch


def nested(x: torch.Tensor, flag: bool):
    if flag:
        if x.sum() > 0:
            return None
        x = x + 1
    return x * 2
