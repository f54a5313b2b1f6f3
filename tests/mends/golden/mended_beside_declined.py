import torch


def mixed(x: torch.Tensor, log: list):
    if x.sum() > 0:
        log.append(x)
    if x.sum() > 1:
        x = x + 1
    if x.sum() > 2:
        return x
    return -x
