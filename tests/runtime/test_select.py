"""Selects: legal ones are in the graph, the others stay, and nothing differs."""

from __future__ import annotations

import pytest
import torch
from differential import check

ALL = ("eager", "aot_eager", "inductor")
UP, DOWN = torch.tensor([1.0, 2.0, 50.0]), torch.tensor([-1.0, -2.0, float("nan")])


def test_clamp(tmp_path):
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(3, 3)
        def forward(self, x):
            y = self.a(x)
            if not torch.isfinite(y).all():
                limit = torch.finfo(y.dtype).max - 1000
                y = torch.clamp(y, min=-limit, max=limit)
            return y
    make = Net
    """
    text = text.replace("                limit = torch.finfo(y.dtype).max - 1000\n", "").replace(
        "limit", "10.0"
    )
    check(tmp_path, text, [(UP,), (UP * float("inf"),), (UP,)], backends=ALL, train=True)


def test_python_conjunct(tmp_path):
    text = """
    def step(x):
        y = x * 2
        if x.dtype == torch.float32 and x.sum() > 3:
            y = y + 1
        return y
    def make():
        return step
    """
    check(tmp_path, text, [(UP,), (DOWN,), (UP.double(),), (-UP.double(),)])


def test_else_arm(tmp_path):
    text = """
    def step(x):
        if x.sum() > 3:
            y = x + 1
        else:
            y = x - 1
        return y
    def make():
        return step
    """
    check(tmp_path, text, [(UP,), (DOWN,)], train=True)


LEFT = {
    "the value is the same tensor": """
    def step(x):
        if x.sum() > 3:
            x = x + 1
        return x
    """,
    "same tensor as one": """
    def step(x):
        y = x + 1
        z = y
        if x.sum() > 3:
            y = y * 2
        y.add_(1)
        return y, z
    """,
    "different dtypes": """
    def step(x):
        y = x + 1
        if x.sum() > 3:
            y = y.double()
        return y
    """,
    "different shapes": """
    def step(x):
        y = x + 1
        if x.sum() > 3:
            y = y[:2]
        return y
    """,
    "Python values that differ": """
    def step(x):
        y = 1
        if x.sum() > 3:
            y = 2
        return x * y
    """,
}


@pytest.mark.parametrize("reason", list(LEFT))
def test_left_alone(tmp_path, reason):
    text = (
        LEFT[reason]
        + """
    def make():
        return step
    """
    )
    report = check(tmp_path, text, [(UP,), (DOWN,), (UP,)], fullgraph=False, mended=False)
    assert reason in str(report)


def test_alias_in_a_caller(tmp_path):
    text = """
    def fix(y):
        if y.sum() > 3:
            y = y * 2
        return y
    def step(x):
        y = x + 1
        z = fix(y)
        z.add_(1)
        return y, z
    def make():
        return step
    """
    report = check(tmp_path, text, [(UP,), (DOWN,), (UP,)], fullgraph=False, mended=False)
    assert "same tensor" in str(report)


def test_dead_alias_does_not_matter(tmp_path):
    text = """
    def fix(y):
        if y.sum() > 3:
            y = y * 2
        return y
    def step(x):
        y = x + 1
        y = fix(y)
        y.add_(1)
        return y
    def make():
        return step
    """
    check(tmp_path, text, [(UP,), (DOWN,), (UP,)])


def test_parameter_of_one_arm(tmp_path):
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(3, 3)
            self.b = torch.nn.Linear(3, 3)
        def forward(self, x):
            y = self.a(x)
            if x.sum() > 3:
                y = self.b(y)
            return y
    make = Net
    """
    report = check(tmp_path, text, [(UP,), (-UP,)], train=True, fullgraph=False, mended=False)
    assert "different parameters" in str(report)


def test_kept_in_an_attribute(tmp_path):
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.last = None
        def forward(self, x):
            y = x + 1
            self.last = y
            if x.sum() > 3:
                y = y * 2
            y.add_(1)
            return y
    make = Net
    """
    report = check(tmp_path, text, [(UP,), (DOWN,), (UP,)], fullgraph=False, mended=False)
    assert "same tensor" in str(report)


def test_zero_gradient_into_what_came_before(tmp_path):
    text = """
    def step(x):
        a = torch.sqrt(x)
        b = x * 2
        if x.sum() > 3:
            y = a
        else:
            y = b
        return y + 0
    def make():
        return step
    """
    inputs = [(torch.zeros(3),), (UP,)]
    # Plain torch.compile with a graph break differs itself under AOT Autograd.
    report = check(
        tmp_path, text, inputs, backends=("eager",), train=True, fullgraph=False, mended=False
    )
    assert "may not be finite" in str(report)
