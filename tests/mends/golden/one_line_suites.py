import torch


def short(x: torch.Tensor, n):
    if x.sum() > 0: x = x + 1
    else: x = x - 1
    for i in range(n): x = x + i; print(i, x); x = x + 1
    if n: pass; assert x.any()
    while n: n = n - 1; x = -x
    return x
