# whole
# training: whole
"""Both arms use the same values: gradients are the original's."""

import torch


class Choice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x):
        y = x + self.shift
        if x.sum() > 0:
            z = y + y
        else:
            z = y - 1
        return z * 2, y.sum()


def make():
    return Choice(), [(torch.tensor([1.0, 2.0]),), (torch.tensor([-1.0, -2.0]),)]
