# declined: the function looks at its own variables
import torch


def choose(x: torch.Tensor, text):
    exec(text)
    print(x)
    return x
