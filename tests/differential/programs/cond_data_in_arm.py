# left: more of a tensor than its values
"""An arm gives a parameter other data."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        if self.weight.norm() > 1.2:
            self.weight.data = self.weight.data / self.weight.norm()
        return x * self.weight


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,)]
