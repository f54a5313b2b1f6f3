# left: written in place later
"""An attribute that a branch rebinds is written in place after it."""

import torch


class Peak(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.peak = torch.zeros(())

    def forward(self, x):
        if x.max() > self.peak:
            self.peak = x.max()
        self.peak.add_(0.5)
        return x / (self.peak + 1)


def make():
    row = torch.tensor([1.0, 2.0])
    return Peak(), [(row,), (row - 1,), (row * 2,), (row,)]
