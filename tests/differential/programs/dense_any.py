# whole
"""The mask is boolean, and what is not zero is found step by step."""

import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 6, bias=False)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(6))

    def forward(self, h):
        probs, chosen = torch.topk(self.gate(h).softmax(-1), 2, dim=-1)
        hot = nn.functional.one_hot(chosen, num_classes=6).permute(2, 1, 0)
        out = torch.zeros_like(h)
        hit = hot.bool().any(-1).any(-1).nonzero().squeeze(-1).tolist()
        for e in hit:
            tok = hot.bool()[e].any(0).nonzero().flatten()
            out[tok] = self.experts[e](h[tok])
        return out


def make():
    torch.manual_seed(0)
    few = torch.tensor([[1.0, -1.0, 2.0, 0.5]])
    return Experts(), [(few,), (torch.randn(9, 4),), (-few,), (few.expand(5, 4) * 2,)]
