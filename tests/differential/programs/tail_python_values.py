# whole
"""A tensor chooses None, text, numbers and tensors of different dtypes."""

import torch


def judge(x):
    note = None
    label = 1
    if x.sum() > 0:
        note = "up"
        label = 2.5
        x = x.round().long()
    if note is None:
        x = x * 3
    return x, note, label, x.dtype


def make():
    row = torch.tensor([1.0, 2.0])
    return judge, [(row,), (-row,)]
