import torch


def total(rows):
    kept = torch.zeros(3)
    for row in rows:
        if row.sum() > 0:
            kept = kept + row
            continue
        bent = row.abs()
        kept = kept - bent.view(-1)
    return kept
