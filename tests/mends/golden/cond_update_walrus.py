import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            self.scale = (y := x) + y
        return x
