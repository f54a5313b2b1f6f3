# whole
# training: whole
# inductor
"""Writes to the standard streams, in order with a print, and under a tensor branch."""

import sys

import torch


def talk(x):
    sys.stdout.write(f"sum {x.sum().item():.2f}\n")
    print("between")
    sys.stderr.write("shape ")
    sys.stderr.writelines([str(tuple(x.shape)), "\n"])
    y = x * 2
    if y.sum() > 0:
        sys.stdout.write(f"positive {y.detach()}\n")
        sys.stdout.flush()
    else:
        sys.stderr.write("not positive\n")
    return y + 1


def make():
    return talk, [(torch.tensor([1.0, 2.0]),), (torch.tensor([-1.0, -2.0]),)]
