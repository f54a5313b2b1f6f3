import warnings

import torch


def warn(x: torch.Tensor, name=None):
    if name is not None:
        warnings.warn(f"{name} is deprecated", FutureWarning, stacklevel=2)
    warnings.warn("plain " "joined")
    return x
