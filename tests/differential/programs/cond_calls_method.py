# whole
"""An arm that calls a method which writes attributes."""

import torch


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.kept = torch.ones(2)
        self.builds = 0

    def build(self, x):
        self.builds += 1
        self.kept = torch.cos(x) @ x * x

    def forward(self, x):
        if x.sum() > self.kept.sum():
            self.build(x)
        return x * self.kept


def make():
    rows = [[1.0, 2.0], [1.0, 0.5], [-3.0, 1.0], [4.0, 4.0]]
    return Cache(), [(torch.tensor(row),) for row in rows]
