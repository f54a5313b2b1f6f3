# whole
"""The exception is caught inside of the compiled function, or by its caller."""

import torch


class Falls(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.caught = 0

    def check(self, x):
        if x.sum() < 0:
            raise ValueError("negative")
        return x + 1

    def forward(self, x):
        try:
            y = self.check(x)
        except ValueError:
            self.caught += 1
            y = x - 1
        finally:
            z = x * 2
        try:
            if z.max() > 10:
                raise KeyError("large")
        except KeyError as problem:
            raise RuntimeError("too large") from problem
        return y + z


def make():
    row = torch.tensor([1.0, 2.0])
    return Falls(), [(row,), (-row,), (row * 10,), (-row,)]
