"""Values of tensors that Python asks for."""

import math

import torch
from torch import nn


class Reads(nn.Module):
    def __init__(self, width: int = 4):
        super().__init__()
        self.width = width
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(2)])
        self.register_buffer("steps", torch.zeros(()))

    def forward(self, x: torch.Tensor, index: torch.Tensor, mask: torch.Tensor | None = None):
        a = x.sum().item()  # finds: host-read
        b = int(x.max())  # finds: host-read
        c = x.tolist()  # finds: host-read
        d = self.layers[index]  # finds: host-read
        e = math.sqrt(x.sum())  # finds: host-read
        f = int(x.shape[0]) + math.sqrt(self.width)
        g = x[0], x[index], x[: self.width]
        for n in range(index):  # finds: host-read
            x = x + n
        if self.steps > 3:  # finds: tensor-branch
            x = x * 2
        if mask is not None and mask.any():  # finds: tensor-branch
            x = x * 3
        if mask is not None:
            x = x * mask
        return x, a, b, c, d, e, f, g


class Shapes(nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        a = x.nonzero()  # finds: dynamic-shape
        b = x[x > 0]  # finds: dynamic-shape
        x[x > 0] = 0
        c = torch.where(x > 1)  # finds: dynamic-shape
        d = torch.where(x > 1, x, 0)
        e = torch.unique(x)  # finds: dynamic-shape
        f = torch.repeat_interleave(x, 2)
        g = torch.repeat_interleave(x, n)  # finds: dynamic-shape
        h = torch.repeat_interleave(x, n, output_size=7)
        i = x[: n.max()]  # finds: dynamic-slice
        j = torch.equal(x, x)  # finds: tensor-compare
        k = torch.nn.functional.one_hot(n)  # finds: dynamic-shape
        m = torch.nn.functional.one_hot(n, 4)
        return a, b, c, d, e, f, g, h, i, j, k, m


class Branches(nn.Module):
    def forward(self, x: torch.Tensor, flag: bool = False, names: list[str] | None = None):
        if flag or x.shape[0] > 2 or x.numel() > 4:
            x = x + 1
        if x.dtype == torch.float16 and torch.isinf(x).any():  # finds: tensor-branch
            x = x.clamp(max=1)
        y = x if x.sum() > 0 else -x  # finds: tensor-branch
        z = [t for t in x if t.sum() > 0]  # finds: tensor-branch
        while x.mean() > 1:  # finds: tensor-branch
            x = x / 2
        w = any(t for t in x)  # finds: tensor-branch
        v = not x.any()  # finds: tensor-branch
        u = 3 in x  # finds: tensor-branch
        s = x is None or names is None or "a" in names
        assert x.any(), "plain text is kept in the graph"
        assert x.any(), f"text that is made: {flag}"  # finds: tensor-assert
        return x, y, z, w, v, u, s
