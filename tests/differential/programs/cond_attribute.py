# whole
"""Arms that write attributes; the not written one keeps its object."""

import torch


class Monitor(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = torch.zeros(2)
        self.hits = 0
        self.status = "new"

    def forward(self, x):
        if x.max() > self.last.max():
            self.last = x.clone()
            self.hits += 1
            self.status = "up"
        else:
            self.status = "flat"
        return x + self.last


def make():
    rows = [[1.0, 2.0], [0.5, 1.0], [5.0, -1.0], [5.0, 5.0]]
    return Monitor(), [(torch.tensor(row),) for row in rows]
