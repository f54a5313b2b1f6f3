# left: is in use
"""A buffer that is given a new tensor shared the old one with another attribute."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(2))
        self.first = self.total

    def forward(self, x):
        if x.sum() > self.total.sum():
            self.total = self.total + x
        return self.first, self.total


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,), (row * 4,)]
