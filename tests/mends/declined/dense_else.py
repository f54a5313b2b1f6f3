# declined: the loop has an else
import torch


def step(x, hot, out):
    for e in hot.any(1).nonzero().flatten().tolist():
        (row,) = torch.where(hot[e])
        out[row] += x[row]
    else:
        out = out + 1
    return out
