import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > self.limit:
            self.peak, self.seen = x.detach(), True
        return x + 1
