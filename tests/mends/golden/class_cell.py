# function: Child.forward
import torch


class Child(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        x = super().forward(x)
        if x.sum() > 0:
            x = x + 1
        return x, __class__
