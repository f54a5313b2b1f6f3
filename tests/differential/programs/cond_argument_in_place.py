# whole
"""An arm that writes an argument in place and gives it back."""

import torch


def clip(grads, limit):
    total = torch.stack([g.norm() for g in grads]).norm()
    if total > limit:
        for g in grads:
            g.mul_(limit / total)
    return total


def make():
    grads = [torch.tensor([3.0, 0.0]), torch.tensor([[4.0]])]
    return clip, [(grads, 1.0), (grads, 100.0)]
