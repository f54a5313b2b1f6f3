# whole
"""Operands of many kinds: containers, data classes, named tuples, sizes, functions, sets."""

import collections
import dataclasses

import torch

Pair = collections.namedtuple("Pair", ["left", "right"])


@dataclasses.dataclass
class Box:
    value: torch.Tensor
    label: str = "box"


def talk(x, extra=None, *rest, **named):
    y = x + 1
    shapes = [x.shape, y.size()]
    table = {"x": x, "list": [y, (1, None, True)], 3: 2.5}
    print(shapes, table, rest, sorted(named), extra)
    pair = Pair(x, "right")
    print(pair, pair.left)
    box = Box(y)
    print(box, box.value)
    print({1, 2}, frozenset("a"), len, torch.float32, x.device, slice(1, 2), b"bytes", 1 + 2j)
    return y


def make():
    row = torch.tensor([1.0, 2.0])
    return talk, [(row,), (row, 1.5, row, "rest"), (row, "text")]
