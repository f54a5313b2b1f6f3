# whole
# training: left: can't be put back
"""An arm registers a hook on a tensor that is older than the branch."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        y = x * self.weight
        if x.sum() > 0:
            if y.requires_grad:
                y.register_hook(lambda gradient: gradient * 3)
            y = y + 1
        return y


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,)]
