import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        y = x
        if x.sum() > 0:
            y = x + 1
            self.scale = y
        return y
