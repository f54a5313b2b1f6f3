# whole
# training: whole
"""One check for each of several layers."""

import torch


class Stack(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(2, 2) for _ in range(3))
        with torch.no_grad():
            for layer in self.layers:
                layer.weight.copy_(torch.eye(2) * 2)
                layer.bias.zero_()

    def forward(self, x):
        for number, layer in enumerate(self.layers):
            x = layer(x)
            if x.max() > 8:
                raise RuntimeError(f"layer {number} of {len(self.layers)}")
        return x


def make():
    row = torch.tensor([[0.5, 0.25]])
    return Stack(), [(row,), (row * 3,), (row * 20,), (row,)]
