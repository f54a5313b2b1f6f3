# declined: leaves the loop
import torch


def choose(rows, x: torch.Tensor):
    for row in rows:
        if x.sum() > 0:
            x = x + row
        elif len(row) > 2:
            continue
        x = x * 2
    return x
