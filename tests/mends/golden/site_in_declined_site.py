import torch


def nested(x: torch.Tensor, y: torch.Tensor):
    if x.sum() > 0:
        print("outer", x)
        if y.sum() > 0:
            y = y + 1
        y *= 2
    return y
