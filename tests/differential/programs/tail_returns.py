# whole
# training: whole
"""An arm that returns; the rest of the function is the other one."""

import torch


class Gate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = torch.nn.Linear(3, 3)
        with torch.no_grad():
            self.proj.weight.copy_(torch.eye(3))
            self.proj.bias.zero_()

    def forward(self, x):
        if x.norm() < 1e-3:
            return torch.zeros_like(x)
        h = self.proj(x)
        if h.max() < 0:
            h = -h
        return h / h.norm()


def make():
    return Gate(), [
        (torch.tensor([1.0, 2.0, 3.0]),),
        (torch.zeros(3),),
        (-torch.ones(3),),
    ]
