import torch
import torch.nn.functional as F


def choose(x: torch.Tensor):
    if x.sum() > 0:
        x = F.dropout(x, 0.5)
    return x
