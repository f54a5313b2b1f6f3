# whole
"""Starred arguments and keyword dictionaries of an effect."""

import logging

import torch

logger = logging.getLogger(__name__)


def talk(x, *values, **options):
    print(*values, **options)
    print("mean", *(v.mean() for v in values if isinstance(v, torch.Tensor)))
    logger.info("%s and %s", *[x.sum(), x.shape], stacklevel=1)
    return x + len(values)


def make():
    row = torch.tensor([1.0, 2.0])
    return talk, [(row, 1, "a"), (row, row, None)]
