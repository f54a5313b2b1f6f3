# whole
# training: left: which gradient function
"""A text shows the gradient function of what a branch chose."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        y = x * self.weight
        if y.sum() > 3:
            y = y.sin()
        print(y)
        return y


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,)]
