# declined: returns from inside a loop, 'with'
import torch


def choose(x: torch.Tensor):
    with torch.no_grad():
        if x.sum() > 0:
            return x @ x
        return x
