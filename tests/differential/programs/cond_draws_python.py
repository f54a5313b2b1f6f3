# left: an arm draws from Python's random numbers
"""Only the arm that runs draws Python's random numbers."""

import random

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            y = torch.linalg.inv(x) * random.uniform(0, 1)
        else:
            return x * 2
        return y + random.uniform(0, 1)


def make():
    random.seed(5)
    x = torch.eye(3)
    return Model(), [(x,), (-x,), (x * 2,), (-x,), (x,)]
