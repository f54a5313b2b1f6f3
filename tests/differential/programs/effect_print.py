# whole
# training: whole
# inductor
"""Tensors, shapes, dtypes and separators in what is printed."""

import sys

import torch


class Talks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([2.0, 3.0]))
        self.name = "talks"

    def forward(self, x):
        print("in", x.shape, x.dtype, self.name, sep="; ", end=".\n")
        y = x * self.weight
        print(f"{self.name!r:>8}: {y.sum().item():.2f} {tuple(y.shape)}", file=sys.stderr)
        print(y.detach())
        print()
        return y + 1


def make():
    return Talks(), [(torch.tensor([1.0, 2.0]),), (torch.tensor([-1.0, 2.0]),)]
