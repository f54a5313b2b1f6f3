# whole
"""Print, log, warning and checks, mixed: in the original's order, cut off where it raises."""

import logging
import warnings

import torch

logger = logging.getLogger(__name__)


class Mixed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        print("start", self.calls)
        logger.info("x %s", x.tolist())
        if x.min() < 0:
            raise ValueError("negative")
        warnings.warn(f"call {self.calls}")
        y = x + 1
        print("middle", y)
        assert y.max() < 10, f"large: {y.max()}"
        logger.info("end %s", y.sum())
        print("end")
        return y


def make():
    row = torch.tensor([1.0, 2.0])
    return Mixed(), [(row,), (-row,), (row * 10,), (row,), (-row,)]
