"""The small model of :mod:`bench.soak`: a branch, a guard and a print."""

from __future__ import annotations

import torch


class Model(torch.nn.Module):
    """Breaks in three ways."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """One step."""
        x = x * self.scale
        if x.sum() > 100:
            x = x / 2
        if torch.isnan(x).any():
            raise ValueError("not a number")
        print("shape", tuple(x.shape))
        return x + 1
