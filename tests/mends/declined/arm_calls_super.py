# declined: belongs to the method
# function: Child.forward
import torch


class Child(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            x += super().forward(x)
        return x
