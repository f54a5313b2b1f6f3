# left: writes the attribute
"""The last expert is kept in an attribute."""

import torch
from torch import nn


class Experts(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(4, 6, bias=False)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(6))
        self.last = -1

    def forward(self, h):
        probs, chosen = torch.topk(self.gate(h).softmax(-1), 2, dim=-1)
        hot = nn.functional.one_hot(chosen, num_classes=6).permute(2, 1, 0)
        out = torch.zeros_like(h)
        hit = (hot.sum(dim=(-1, -2)) > 0).nonzero(as_tuple=True)[0].tolist()
        for e in hit:
            slot, tok = torch.where(hot[e])
            cur = self.experts[e](h[None, tok].reshape(-1, 4)) * probs[tok, slot, None]
            out.index_add_(0, tok, cur)
            self.last = e
        return out


def make():
    torch.manual_seed(0)
    few = torch.tensor([[1.0, -1.0, 2.0, 0.5]])
    return Experts(), [(few,), (torch.randn(9, 4),), (-few,), (few.expand(5, 4) * 2,)]
