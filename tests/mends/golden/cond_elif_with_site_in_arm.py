import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, cache):
        y = x
        if x.sum() > 0:
            y = torch.linalg.inv(x)
        elif cache is None:
            print("no cache")
            y = x @ x
        elif cache:
            y = x
        return y
