import torch


def deep(x: torch.Tensor, flags):
    if flags.a:
        for i in flags.b:
            while flags.c:
                with flags.d:
                    try:
                        if x.sum() > i:
                            x = x + 1
                    finally:
                        flags.e()
    elif flags.f:
        if x.sum() > 1:
            x = x + 2
    else:
        if x.sum() > 2:
            x = x + 3
    return x
