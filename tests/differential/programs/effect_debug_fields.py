# whole
"""Fields of f-strings that show the text of their expression."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 2.0

    def forward(self, x):
        print(f"{x.shape=} {self.scale = !s:>8} {x.mean().item()=:.2f} {x.dtype}")
        return x * self.scale


def make():
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row,), (-row,)]
