# declined: an argument may change something
# function: Child.forward
import torch


class Child(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        print(super().extra_repr(), x)
        return x
