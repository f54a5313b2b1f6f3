# whole
# inductor
"""A buffer is chosen by a length, from a cache that is filled when it is first needed."""

import torch


class Frequencies(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.original = 6
        self.scaling = 1.0
        freq, self.scaling = self.make(1.0)
        self.register_buffer("freq", freq, persistent=False)
        self.original_freq = self.freq

    def make(self, factor, device=None):
        return torch.arange(1, 5, device=device) * factor, 1.0

    def update(self, positions):
        length = torch.max(positions) + 1
        if length > self.original:
            if not hasattr(self, "long_freq"):
                self.long_freq, _ = self.make(0.5, positions.device)
            self.register_buffer("freq", self.long_freq, persistent=False)
        else:
            self.original_freq = self.original_freq.to(positions.device)
            self.register_buffer("freq", self.original_freq, persistent=False)

    def forward(self, x, positions):
        self.update(positions)
        return x * self.freq * self.scaling


def make():
    x = torch.ones(1, 4)
    return Frequencies(), [(x, torch.arange(n)) for n in (4, 8, 9, 3, 8)]
