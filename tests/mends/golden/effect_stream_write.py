import sys

import torch


def talk(x: torch.Tensor):
    sys.stdout.write(f"sum {x.sum():.2f}\n")
    sys.stderr.flush()
    if x.sum() > 0:
        sys.stderr.write("positive\n")
    return x + 1
