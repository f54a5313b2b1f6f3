# whole
"""An arm that writes a buffer in place."""

import torch


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2))

    def forward(self, x):
        y = x * 2
        if y.sum() > 0:
            self.count.add_(y)
        else:
            self.count[0] -= 1
        return y + self.count


def make():
    row = torch.tensor([1.0, 2.0])
    return Counter(), [(row,), (-row,), (row,)]
