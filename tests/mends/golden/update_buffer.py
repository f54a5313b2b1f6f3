import torch


class Rotary(torch.nn.Module):
    def forward(self, positions: torch.Tensor, x):
        length = torch.max(positions) + 1
        if length > self.original:
            if not hasattr(self, "long_freq"):
                frequencies, self.scale = self.make(self.config, x.device, seq_len=self.original + 1)
                self.long_freq = frequencies
            self.register_buffer("freq", self.long_freq, persistent=False)
        else:
            self.original_freq = self.original_freq.to(x.device)
            self.register_buffer("freq", self.original_freq, persistent=False)
        return self.freq * x
