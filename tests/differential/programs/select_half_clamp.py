# whole
# training: whole
# inductor
"""Activations of a half-precision model are clamped where they overflow."""

import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor(300.0, dtype=torch.float16))

    def forward(self, hidden):
        hidden = hidden * self.scale
        if hidden.dtype == torch.float16 and (
            torch.isinf(hidden).any() or torch.isnan(hidden).any()
        ):
            clamp_value = torch.finfo(hidden.dtype).max - 1000
            hidden = torch.clamp(hidden, min=-clamp_value, max=clamp_value)
        return hidden + 1


def make():
    rows = [[1.0, -2.0], [300.0, 1.0], [float("nan"), 1.0]]
    halves = [(torch.tensor(row, dtype=torch.float16),) for row in rows]
    return Block(), halves
