# whole
"""A branch in an arm that ends where its branch ends ends there too, whatever leaves the function."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = [lambda y: y * 2]

    def forward(self, x):
        y = x
        if x.sum() > 0:
            y = x.sin().reshape(-1)[:3].clone()
        elif x.sum() > -2:
            y = x.cos().reshape(-1)[:3].clone()
        else:
            y = y.exp()[0].clone()
        y = self.steps[0](y)
        return (y,)


def make():
    x = torch.arange(9.0).reshape(3, 3) / 9
    return Model(), [(x,), (-x,), (-x / 8,), (x * 2,)]
