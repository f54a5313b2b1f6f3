import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor, state):
        if x.sum() > 0:
            self.scale = x
            state.seen = x
        return x
