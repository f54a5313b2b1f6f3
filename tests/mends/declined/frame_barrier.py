# declined: the function looks at its own variables
import sys

import torch


def choose(x: torch.Tensor):
    print(x)
    return x, sys._getframe().f_locals
