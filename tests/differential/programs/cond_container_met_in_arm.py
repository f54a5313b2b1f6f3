# left: different lengths
"""Arms change lists that nothing read before the branch."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.counted = []

    def forward(self, x):
        if x.sum() > 0:
            self.seen.append(x.detach())
            self.counted.append(1)
        return x * 2


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,), (row * 4,)]
