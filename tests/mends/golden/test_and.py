import torch


def clamp(hidden: torch.Tensor):
    if hidden.dtype == torch.float16 and (torch.isinf(hidden).any() or torch.isnan(hidden).any()):
        clamp_value = torch.finfo(hidden.dtype).max - 1000
        hidden = torch.clamp(hidden, min=-clamp_value, max=clamp_value)
    return hidden
