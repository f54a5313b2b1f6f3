import torch


def steps(x: torch.Tensor, count):
    for step in range(count):
        x = x * 2
        if x.max() > 10:
            x = x - 10
    else:
        x = x + 1
    while count > 0:
        count -= 1
        if x.min() < 0:
            x = -x
    return x
