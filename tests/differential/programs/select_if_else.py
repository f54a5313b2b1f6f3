# whole
# training: left: different parameters
# inductor
"""Both arms give a value; in training only the taken arm's parameter has a gradient."""

import torch


class Choice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.up = torch.nn.Parameter(torch.tensor([2.0, 3.0]))
        self.down = torch.nn.Parameter(torch.tensor([4.0, 5.0]))

    def forward(self, x):
        if x.sum() > 0:
            y = x + self.up
        else:
            y = x - self.down
        return y * 2


def make():
    return Choice(), [(torch.tensor([1.0, 2.0]),), (torch.tensor([-1.0, -2.0]),)]
