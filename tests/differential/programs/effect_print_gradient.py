# training: whole
# whole
"""What a printed tensor shows of autograd."""

import torch


class Talks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x):
        print(self.weight, x)
        y = x * self.weight
        print(y, y.sum(), y.requires_grad, y.is_leaf)
        print(y.detach().mean(), f"{y + 1}")
        return y


def make():
    return Talks(), [(torch.tensor([1.0, 2.0]),)]
