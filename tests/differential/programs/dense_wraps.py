# left: not seen that the places
"""How often a place is hit is counted in eight bits: 256 times is not at all."""

import torch
from torch import nn


def step(x, chosen):
    x = x @ torch.eye(1)
    hot = nn.functional.one_hot(chosen + x.sum().long() * 0, num_classes=3).permute(1, 0)
    out = torch.zeros_like(x)
    for e in hot.sum(1).to(torch.uint8).bool().nonzero():
        (row,) = torch.where(hot[e].squeeze(0))
        out[row] += x[row]
    return out


def make():
    many = torch.zeros(256, dtype=torch.int64)
    return step, [(torch.ones(256, 1), many), (torch.ones(4, 1), many[:4])]
