import torch


def chunks(x: torch.Tensor, n):
    for part in x.chunk(n):
        if part.sum() > 0:
            part = part + 1
        got = yield part
        yield from (got,)
    return x
