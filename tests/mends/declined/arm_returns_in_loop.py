# declined: returns from inside a loop
import torch


def choose(rows: list):
    for row in rows:
        if row.sum() > 0:
            return row @ row
    return None
