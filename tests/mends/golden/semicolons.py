import torch


def short(x: torch.Tensor): y = x; print(y); return y + 1
