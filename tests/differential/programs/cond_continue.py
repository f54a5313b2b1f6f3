# whole
# training: whole
# inductor
"""An arm goes on with the next iteration; what follows in the loop is the other arm."""

import torch


def step(first, second, third, weight):
    total = torch.zeros(3)
    seen = 0
    for row in (first * weight, second * weight, third * weight):
        seen += 1
        if row.sum() > 0:
            total = total + row
            continue
        bent = row.abs() * seen
        total = total - bent
        if bent.max() > 4:
            total = total / 2
    return total * weight, seen


def make():
    first, second, third = [1.0, 2.0, 3.0], [-1.0, -5.0, 0.5], [0.5, 0.0, 0.25]
    rows = [torch.tensor(row) for row in (first, second, third)]
    weight = torch.tensor([1.0, 0.5, 2.0])
    return step, [(*rows, weight), (*(-row for row in rows), weight), (*rows[::-1], weight)]
