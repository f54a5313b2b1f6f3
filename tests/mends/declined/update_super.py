# declined: an arm
# function: Model.forward
import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            self.scale = super().make(x)
        return x
