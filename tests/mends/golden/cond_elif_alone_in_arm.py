import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, cache, legacy: bool):
        y = x
        if x.sum() > 0:
            y = torch.linalg.inv(x)
        elif cache is None:
            y = x @ x
        return y
