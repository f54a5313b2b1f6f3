# whole
# training: whole
# inductor
"""A check that raises a constant message."""

import torch


class Checked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        x = self.linear(x)
        if torch.isnan(x).any():
            raise ValueError("found NaN")
        return x * 2


def make():
    return Checked(), [
        (torch.ones(3, 2),),
        (torch.full((3, 2), float("nan")),),
        (torch.ones(3, 2),),
    ]
