# whole
"""The same test on float32 is decided while tracing: nothing of the branch is left."""

import torch


def clamp(x):
    if x.dtype == torch.float16 and torch.isinf(x).any():
        x = torch.clamp(x, max=60000.0)
    return x + 1


def make():
    rows = [torch.tensor([1.0, float("inf")]), torch.tensor([float("inf")]).half()]
    return clamp, [(rows[0],), (rows[1],), (rows[1] * 0,)]
