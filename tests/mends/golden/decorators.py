# function: Model.forward
import functools

import torch


def around(*labels):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs)

        return wrapper

    return decorate


class Model:
    @around(
        "first",
        "second",  # a comment
    )
    @torch.no_grad()
    def forward(self, x: torch.Tensor):
        # Before the site.
        if x.sum() > 0:
            x = x + 1
        return x
