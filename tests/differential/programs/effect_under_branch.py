# whole
# training: whole
"""Effects in the arms of a branch on a tensor."""

import logging

import torch

logger = logging.getLogger(__name__)


def report(x, verbose):
    y = x * 2
    if y.sum() > 0 and verbose:
        print("positive", y.shape)
        logger.info("sum %s", float(y.sum()))
    else:
        logger.warning("not positive, or not verbose")
    if not torch.isfinite(y).all():
        print("not finite")
    return y + 1


def make():
    row = torch.tensor([1.0, 2.0])
    return report, [(row, True), (-row, True), (row, False), (row / 0, True)]
