# declined: no site
import torch


def choose(x: torch.Tensor, y=None, mode="a", n: int = 0):
    if y is None:
        y = x
    if mode == "a":
        y = y + 1
    if x.shape[0] > 2 and x.dim() == 2 and x.dtype == torch.float32:
        y = y + 2
    if isinstance(y, torch.Tensor) or hasattr(y, "data"):
        y = y + 3
    if n > 3:
        y = y + 4
    if x.requires_grad and torch.is_tensor(y) and x.numel() > 1:
        y = y + 5
    if x.sum().item() > 0:
        y = y + 6
    return y
