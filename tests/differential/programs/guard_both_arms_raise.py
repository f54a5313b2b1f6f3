# whole
"""An arm all of whose ways raise, in several classes, and `from`."""

import torch


def check(x, strict):
    y = x * 2
    if y.sum() < 0:
        if strict:
            raise ValueError("strict") from None
        message = "loose"
        try:
            raise KeyError("inner")
        except KeyError as problem:
            raise RuntimeError(message) from problem
    return y + 1


def make():
    row = torch.tensor([1.0, 2.0])
    return check, [(row, True), (-row, True), (row, False), (-row, False)]
