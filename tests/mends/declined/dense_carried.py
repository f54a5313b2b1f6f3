# declined: goes from one iteration to the next
import torch


def step(x, hot, out):
    for e in hot.any(1).nonzero().flatten().tolist():
        (row,) = torch.where(hot[e])
        out = out.index_add(0, row, x[row])
    return 1
