# whole
"""Two attributes are given one tensor, and the old one is kept under another name."""

import torch


class Keeps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.best = torch.zeros(2)
        self.last = torch.zeros(2)
        self.old = self.best

    def forward(self, x):
        if x.sum() > self.best.sum():
            self.best = self.last = x
        return x + self.best - self.last


def make():
    row = torch.tensor([1.0, 2.0])
    return Keeps(), [(row,), (-row,), (row * 2,)]
