import torch


def choose(x: torch.Tensor):
    if x.any():
        y: torch.Tensor = x + 1
        """A comment as a string."""
        pass
    else:
        y = x
    return y
