# function: Model.forward
import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        __y = x * 2
        if x.sum() > 0:
            __y += x @ x
        return __y
