# whole
"""An attribute that a branch rebinds is kept under another name and rebound after it."""

import torch


class Peak(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.peak = torch.zeros(())
        self.before = None

    def forward(self, x):
        if x.max() > self.peak:
            self.peak = x.max()
        self.before = self.peak
        self.peak = self.peak * 2
        return x / (self.peak + 1), self.before


def make():
    row = torch.tensor([1.0, 2.0])
    return Peak(), [(row,), (row - 1,), (row * 9,), (row,)]
