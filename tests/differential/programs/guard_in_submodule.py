# whole
# training: whole
"""The check is in a submodule, the caller goes on after it; the traceback names both."""

import torch


def helper(x):
    if (x == 0).all():
        raise ZeroDivisionError("all zero")
    return 1 / x


class Inner(torch.nn.Module):
    def forward(self, x):
        assert x.shape[-1] == 2
        return helper(x) * 2


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        y = self.inner(x)
        return self.linear(y)


def make():
    row = torch.tensor([[0.5, 0.25]])
    return Outer(), [(row,), (row * 0,), (row,)]
