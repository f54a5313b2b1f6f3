# whole
# training: whole
"""One module under two parents, and one function under two names."""

import torch


class Clamp(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.shift = torch.nn.Parameter(torch.tensor(1.0))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        x = x + self.shift
        if x.max() > 4:
            x = torch.clamp(x, max=4.0)
        return x


class Parent(torch.nn.Module):
    def __init__(self, clamp):
        super().__init__()
        self.clamp = clamp

    def forward(self, x):
        return self.clamp(x) * 2


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        shared = Clamp()
        self.one, self.two = Parent(shared), Parent(shared)

    def forward(self, x):
        return self.one(x) + self.two(-x)


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (row * 4,), (row * -4,)]
