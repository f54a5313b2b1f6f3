# left: is in use
"""The tensor that a buffer held before it is given a new one is returned."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2))

    def forward(self, x):
        before = self.total
        if x.sum() > 0:
            self.total = self.total + x
        return before, self.total


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,), (row * 4,)]
