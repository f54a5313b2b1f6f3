# declined: writes the global variable
import torch

last = None


def choose(x: torch.Tensor):
    global last
    if x.sum() > 0:
        last += x @ x
    return x
