# whole
"""Python conditions around, before and after the tensor in one test."""

import torch


class Choice(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = 3.0
        self.enabled = True

    def forward(self, x, bias=None, invert=False):
        x = x * 1
        if self.enabled and not invert and x.sum() > self.limit and bias is not None:
            x = x + bias
        if not (invert or x.sum() < 0):
            x = x - 1
        if invert or x.any():
            x = x * 2
        return x


def make():
    bias = torch.tensor([5.0, 6.0])
    rows = [torch.tensor([4.0, 0.5]), torch.tensor([-4.0, 0.5]), torch.zeros(2)]
    return Choice(), [(x, b, i) for x in rows for b in (None, bias) for i in (False, True)]
