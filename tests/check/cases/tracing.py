"""What is never reached while code is traced, and what one statement may do without."""

import torch
from torch import nn


def is_available():
    return unknown_setting  # noqa: F821


def is_traced():
    if not is_available():
        return False
    try:
        return torch.compiler.is_compiling()
    except Exception:
        return False


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config

    def forward(self, x: torch.Tensor):
        x = x * 2
        n = x.max()
        traced = torch.jit.is_tracing() or isinstance(x, torch.fx.Proxy) or is_traced()
        if not traced and x.sum() > 0:
            x = x + 1
        if traced and x.sum() > 1:  # finds: tensor-branch
            x = x + 2
        if not is_traced():
            print(x)
        if self.config.clamps and x.sum() > 2:  # finds: tensor-branch
            x = x + 3
        x = x.narrow(0, 0, 4)
        x = x.narrow(-1, n, 4)  # finds: dynamic-slice
        return torch.narrow(x, 0, 0, length=n)  # finds: dynamic-slice
