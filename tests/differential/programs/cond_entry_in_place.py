# whole
# training: left: writes a tensor in place
"""Arms write entries of a tensor whose gradient is recorded."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        y = x * self.weight
        if x.sum() > 0:
            y[0] = 9
        else:
            y[1] = -9
        return y


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,)]
