# left: stays visible
"""A buffer is named before the branch and written in place after it."""

import torch


class Holder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2))

    def forward(self, x):
        before = self.total
        if x.sum() > 0:
            before = before + x
        self.total.add_(x)
        return before * 2


def make():
    row = torch.tensor([1.0, 2.0])
    return Holder(), [(row,), (-row,), (row,)]
