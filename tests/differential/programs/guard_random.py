# whole
# training: whole
"""Random numbers drawn before a check are drawn once, whether it raises or not."""

import torch


class Noisy(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = torch.nn.Dropout(0.5)

    def forward(self, x):
        x = self.dropout(x)
        noise = torch.rand(8)
        if x.sum() < 0:
            raise ValueError(f"negative: {noise.tolist()}")
        return x + noise * torch.rand_like(x)


def make():
    row = torch.arange(1.0, 9.0)
    return Noisy(), [(row,), (-row,), (row,), (-row * 3,)]
