import torch


def joined(x: torch.Tensor, y):
    if x.sum() \
       > 0 \
       and y:
        x = \
            x + 1
    print(x, \
          y)
    return x
