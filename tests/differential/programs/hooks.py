# whole
"""Forward hooks run once, also when a check stops the call."""

import torch

CALLS = []


class Checked(torch.nn.Module):
    def forward(self, x):
        x = x * 2
        if x.sum() < 0:
            raise ValueError("negative")
        return x


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Checked()
        self.inner.register_forward_pre_hook(before)

    def forward(self, x):
        return self.inner(x) + 1


def before(module, arguments):
    CALLS.append(type(module).__name__)
    if arguments[0].sum() > 100:
        print("large")


def make():
    row = torch.tensor([1.0, 2.0])
    return Outer(), [(row,), (-row,), (row * 100,)]
