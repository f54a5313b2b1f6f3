# whole
# training: whole
"""Methods with `super()`, `__class__`, private names, properties and static methods."""

import torch


class Base(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

    def forward(self, x):
        if (x < -5).any():
            raise ValueError(f"{type(self).__name__} in {__class__.__name__}")
        return x * self.weight


class Child(Base):
    def __init__(self):
        super().__init__()
        self.__limit = 4.0

    @property
    def limit(self):
        return self.__limit

    @staticmethod
    def lower(x):
        if x.sum() > 0:
            x = x - 1
        return x + 0

    @classmethod
    def named(cls, x):
        print(cls.__name__, x.shape)
        return x

    def forward(self, x):
        y = super().forward(x)
        if y.sum() > self.limit:
            y = y + self.__limit
        return self.lower(self.named(y))


def make():
    row = torch.tensor([1.0, 2.0])
    return Child(), [(row,), (-row,), (row * 4,), (row * -4,)]
