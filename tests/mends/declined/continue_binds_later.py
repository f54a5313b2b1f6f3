# declined: 'kept' may be unbound here
import torch


def last(rows):
    for row in rows:
        if row.sum() > 0:
            continue
        kept = torch.relu(row @ row)
    return kept
