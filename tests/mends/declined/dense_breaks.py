# declined: may end before its last place
import torch


def step(x, hot, out):
    for e in hot.any(1).nonzero().flatten().tolist():
        (row,) = torch.where(hot[e])
        out[row] += x[row]
        if e == 3:
            break
    return out
