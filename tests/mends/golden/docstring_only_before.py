import torch


def documented(x: torch.Tensor):
    "One line."
    # A comment after the docstring.

    # Another one, with a blank line around it.

    assert x.any()  # trailing
    return x
