# whole
"""A layer in an arm that keeps statistics in its buffers, where no gradient is recorded."""

import torch


class Normed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3, affine=False)

    def forward(self, x):
        if x.sum() > 0:
            return self.norm(x)
        return x * 2


def make():
    x = torch.arange(6.0).reshape(2, 3) - 1.5
    return Normed(), [(x,), (-x,), (x + 1,)]
