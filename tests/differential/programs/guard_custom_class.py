# whole
"""An exception class of the program, with arguments and attributes."""

import torch


class TooLarge(ValueError):
    def __init__(self, value, *, limit):
        super().__init__(f"{value} > {limit}")
        self.limit = limit


class Checked(torch.nn.Module):
    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, x):
        if x.abs().max() > self.limit:
            raise TooLarge(x.abs().max().item(), limit=self.limit)
        return x + 1


def make():
    row = torch.tensor([1.0, -2.0])
    return Checked(3.0), [(row,), (row * 2,), (row,), (row * 3,)]
