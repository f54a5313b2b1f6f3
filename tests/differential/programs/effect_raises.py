# whole
"""An effect that raises: what was written and printed before it stays, and nothing else."""

import logging

import torch

logger = logging.getLogger(__name__)


class Talks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.register_buffer("total", torch.zeros(2))

    def forward(self, x, spec):
        self.calls += 1
        self.total.add_(x)
        print("before", self.calls)
        logger.info(f"sum {x.sum().item():{spec}}")
        self.calls += 10
        print("after", self.total)
        return x + self.total


def make():
    row = torch.tensor([1.0, 2.0])
    return Talks(), [(row, ".2f"), (row, "d"), (row, ".3f")]
