from typing import Optional

import torch


def shapes(x: torch.Tensor, /, y: Optional[torch.Tensor] = None, *rest, key: int = 1 + 1,
           default=lambda v: {v: v}, **named) -> "torch.Tensor":
    if y.sum() > key:
        x = x + y
    return default(x), rest, named
