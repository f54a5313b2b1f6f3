# declined: is bound in the loop and read after it
import torch


def step(x, hot, out):
    for e in hot.any(1).nonzero().flatten().tolist():
        (row,) = torch.where(hot[e])
        out[row] += x[row]
    return out, row
