# declined: which other functions see
import torch


def step(x, hot, out):
    def last():
        return row

    for e in hot.any(1).nonzero().flatten().tolist():
        (row,) = torch.where(hot[e])
        out[row] += x[row]
    return out, last
