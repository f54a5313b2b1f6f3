# whole
# training: whole
"""One site that runs several times, and one in a `with`."""

import torch


class Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([0.5, 2.0]))

    def forward(self, x):
        for step in range(3):
            x = x * self.weight
            if x.sum() > step:
                x = x - 1
        with torch.autocast("cpu", enabled=False):
            if x.sum() < -2:
                x = -x
        return x


def make():
    return Steps(), [(torch.tensor([a, b]),) for a in (1.0, -1.0) for b in (2.0, -2.0, 0.1)]
