# newlines: crlf
import torch


def lines(x: torch.Tensor):
    """Two
    lines."""
    if (x.sum() > 0 and
            x.any()):
        x = (x +
             1)
    print("""a
b""", x)
    return x
