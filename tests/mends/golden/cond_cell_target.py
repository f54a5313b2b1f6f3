import torch


def choose(x: torch.Tensor):
    def show():
        return x

    if x.sum() > 0:
        x = x + 1
    return show()
