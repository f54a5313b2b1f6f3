# whole
"""Records of a submodule name its own file, line and function."""

import logging

import torch

logger = logging.getLogger(__name__)


def tell(x, label):
    logger.info("%s %s", label, x.sum())
    return x


class Inner(torch.nn.Module):
    def __init__(self, label):
        super().__init__()
        self.label = label

    def forward(self, x):
        logger.info("inner %s", self.label)
        return tell(x * 2, self.label)


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Inner("first")
        self.second = torch.nn.Sequential(Inner("second"), torch.nn.ReLU(), Inner("third"))

    def forward(self, x):
        x = self.second(self.first(x))
        logger.info("outer")
        return x


def make():
    return Outer(), [(torch.tensor([1.0, 2.0]),), (torch.tensor([-1.0, 2.0]),)]
