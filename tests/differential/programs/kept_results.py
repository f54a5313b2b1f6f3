# left: functools.lru_cache keeps what its function gives
# training: left: functools.lru_cache keeps what its function gives
"""Functions whose results are kept run once for their arguments, and give the kept tensor later."""

import functools

import torch

BOX = torch.zeros(2)


@functools.lru_cache(None)
def table(size):
    print("made", size)
    return torch.arange(size) * 1.0


@functools.cache
def limit(box):
    box = box * 1
    if box.sum() > 0:
        box = box + 1
    return box * 2


@functools.cache
def count(box):
    return (box + 1).sum().item()


class Model(torch.nn.Module):
    @functools.lru_cache(4)  # noqa: B019 - as models do it
    def noted(self, name):
        print("noted", name)
        return 1.0

    def forward(self, x, name):
        BOX.add_(1)
        x = x + table(x.shape[0]) + self.noted(name)
        return x * limit(BOX) + count(BOX)


def make():
    BOX.zero_()
    for function in (table, limit, count, Model.noted):
        function.cache_clear()
    row = torch.tensor([1.0, 2.0])
    return Model(), [(row, "a"), (row, "a"), (row, "b"), (row, "a")]
