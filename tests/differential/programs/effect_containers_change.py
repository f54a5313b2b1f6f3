# whole
"""Containers are printed as they are at that moment, although they change before and after."""

import torch


class Talks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = [0]
        self.table = {"calls": 0}

    def forward(self, x):
        items = [1]
        items.append(x.shape[0])
        self.seen.append(2)
        self.table["calls"] += 1
        print(items, self.seen, self.table)
        items.append(3)
        self.seen[0] = 5
        self.table["sum"] = 1
        print(items, self.seen, self.table, *items, sep="/")
        del self.table["sum"]
        return x * len(items)


def make():
    row = torch.tensor([1.0, 2.0])
    return Talks(), [(row,), (-row,)]
