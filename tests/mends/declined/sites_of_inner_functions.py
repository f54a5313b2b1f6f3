# declined: no site
import torch


def outer(x: torch.Tensor):
    def inner(y: torch.Tensor):
        if y.sum() > 0:
            y = y + 1
        print(y)
        return y

    class Local:
        def method(self, z: torch.Tensor):
            assert z.any()

    return inner(x), Local, lambda v: v
