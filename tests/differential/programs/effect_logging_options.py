# whole
"""`extra`, `stacklevel`, `exc_info` and records from an exception handler."""

import logging

import torch

logger = logging.getLogger(__name__)


def inner(x, label):
    logger.warning("%s", label, stacklevel=2, extra={"extra": label})
    logger.info("%s %s", label, x.sum(), stacklevel=3)
    return x + 1


def outer(x, label):
    x = inner(x, label)
    logger.info("outer", extra={"extra": (1, label)})
    return inner(x, "second")


def make():
    row = torch.tensor([1.0, 2.0])
    return outer, [(row, "a"), (row, "b")]
