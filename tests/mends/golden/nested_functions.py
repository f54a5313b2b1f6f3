import torch


def outer(x: torch.Tensor, y):
    def inner(z):
        global LATER
        LATER = z
        if z.sum() > 0:
            z = z + 1
        return z + y

    class Local:
        value = 1

        def method(self):
            nonlocal x
            x = self.value

    key = lambda v: v + y  # noqa: E731
    if y.sum() > 0:
        w = x + 1
    else:
        w = x
    return inner(w), Local, key, [y for y in w]
