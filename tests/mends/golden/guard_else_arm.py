import torch


def check(x: torch.Tensor, limit):
    if x.max() <= limit:
        x = x + 1
        print("fine", x)
    elif limit > 100:
        raise ValueError("limit")
    else:
        message = "too large"
        raise RuntimeError(message)
    return x
