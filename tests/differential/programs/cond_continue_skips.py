# whole
"""Most of an iteration is skipped: a buffer that it writes stays as it was."""

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))
        self.register_buffer("seen", torch.zeros(3))

    def forward(self, x):
        x = x * 0.5
        for number, layer in enumerate(self.layers):
            if x.abs().max() > 3:
                continue
            x = x + layer(x)
            self.seen[number] += 1
        return x


def make():
    torch.manual_seed(0)
    return Net(), [(torch.ones(2, 3),), (torch.ones(2, 3) * 5,), (torch.ones(2, 3) * 2,)]
