# whole
"""What was written before the exception stays written, what comes after it does not happen."""

import torch

COUNT = 0
SEEN = {}


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.log = []
        self.register_buffer("total", torch.zeros(2))
        self.register_buffer("mean", torch.zeros(2))

    def forward(self, x, out):
        global COUNT
        COUNT += 1
        SEEN[self.calls] = COUNT
        self.calls += 1
        self.log.append(self.calls)
        self.total.add_(x)
        self.mean = self.total / self.calls
        out.copy_(x * 2)
        if x.sum() < 0:
            raise ValueError(f"call {self.calls}")
        self.log.append("after")
        self.total.mul_(2)
        out.add_(1)
        return x + self.total


def make():
    row = torch.tensor([1.0, 2.0])
    return Counter(), [(row, row + 0), (-row, row + 0), (-row, row + 0), (row, row + 0)]
