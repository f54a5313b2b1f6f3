import torch


def total(rows, scale: torch.Tensor):
    kept, seen = torch.zeros(3), 0
    for row in rows:
        seen += 1
        if (row * scale).sum() > 0:
            low = row - 1
            kept = kept + low
        else:
            kept = kept * 2
            continue
        kept = kept.abs()
    return kept
