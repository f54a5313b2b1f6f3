# whole
"""An arm counts in a dictionary with a default, which nothing read before the branch."""

import collections

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.counts = collections.defaultdict(int)

    def forward(self, x):
        if x.sum() > 0:
            self.counts["positive"] += 1
        return x * self.counts["positive"]


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,), (row * 4,)]
