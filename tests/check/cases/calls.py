"""Types that travel through calls, attributes, containers and decorators."""

import functools
from dataclasses import dataclass

import torch
from torch import nn


class Config:
    def __init__(self, width=8, act="relu", use_cache=True):
        self.width = width
        self.act = act
        self.use_cache = use_cache


@dataclass
class Output:
    hidden: torch.Tensor
    mask: torch.Tensor | None = None
    note: str = ""


def traced(function):
    @functools.wraps(function)
    def wrapper(self, x, *args, **kwargs):
        if x.max() > 1:  # finds: tensor-branch
            x = x - 1
        return function(self, x, *args, **kwargs)

    return wrapper


def shift(x, amount):
    if amount:
        return x + amount
    return x


def by_value(x, limit):
    if limit > 2:  # finds: tensor-branch
        return x + 1
    return x


class Block(nn.Module):
    def __init__(self, config: Config, causal=False):
        super().__init__()
        self.config = config
        self.causal = causal
        self.project = nn.Linear(config.width, config.width)

    def forward(self, x, mask=None):
        if self.causal:
            x = x.tril()
        if self.config.use_cache and self.config.act == "relu":
            x = torch.relu(x)
        if mask is not None:
            x = x * mask
        if isinstance(x, (list, tuple)):
            x = x[0]
        return self.project(x)


class Model(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.config = config
        self.blocks = nn.ModuleList([Block(config, causal=True) for _ in range(2)])

    @traced
    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None):
        states = ()
        for block in self.blocks:
            x = block(x, mask)
            states = states + (x,)
        output = Output(hidden=x, mask=mask)
        if output.note:
            return x
        if output.hidden.any():  # finds: tensor-branch
            x = x + 1
        if len(states) > 1 and states[-1].sum() > 0:  # finds: tensor-branch
            x = x + 1
        x = shift(x, 2)
        x = by_value(x, x.mean())
        holder = {"a": x, "n": 3}
        if holder["n"] > 2:
            x = x + 1
        if holder["a"].isnan().any():  # finds: tensor-branch
            x = x + 1
        return x
