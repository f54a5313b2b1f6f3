# declined: the function is async
import torch


async def choose(x: torch.Tensor):
    if x.sum() > 0:
        x = x + 1
    print(x)
    return x
