import torch


def choose(self, x: torch.Tensor):
    if x.sum() > 0:
        x = self.normalise(x)
    return x
