"""Compiled callables within compiled calls: what an undone call told is not told again."""

from __future__ import annotations

import importlib.util
import itertools
import sys
import threading

import graphmend
import pytest
import torch
from graphmend import swap

_numbers = itertools.count()
TEXT = """\
import torch

PARTS = []


def part(x):
    x = x * 1
    if x.sum() > 0:
        x = x + 1
    print("part", tuple(x.shape))
    return x


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.work(x)

    def work(self, x):
        print("before")
        x = PARTS[-1](x)
        if x.isnan().any():
            raise ValueError("not a number")
        return x * 2
"""
ROWS = [torch.ones(2), -torch.ones(2), torch.full((2,), float("nan")), torch.ones(3)]


@pytest.fixture
def module(tmp_path):
    torch._dynamo.reset()
    path = tmp_path / "nested.py"
    path.write_text(TEXT)
    name = f"nested_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    swap.restore()
    torch._dynamo.reset()


def calls(function, capsys):
    capsys.readouterr()
    seen = []
    for row in ROWS:
        try:
            seen.append(function(row.clone()).tolist())
        except ValueError as problem:
            seen.append(str(problem))
    return seen, capsys.readouterr().out


@pytest.mark.parametrize("inner", ["ours", "torch"])
@pytest.mark.parametrize("outer", ["ours", "torch"])
def test_effects_of_what_is_compiled_within(module, capsys, inner, outer):
    module.PARTS.append(module.part)
    wanted = calls(module.Model(), capsys)
    compilers = {"ours": graphmend.compile, "torch": torch.compile}
    module.PARTS.append(compilers[inner](module.part, backend="eager"))
    model = module.Model()
    compiled = compilers[outer](model, backend="eager")
    for _ in range(2):
        assert calls(compiled, capsys) == wanted
    assert model.calls == 2 * len(ROWS)
    assert torch._dynamo.eval_frame._stance.stance == "default"


def test_threads_that_are_undone_at_once(module, capsys):
    module.PARTS.append(module.part)
    compiled = graphmend.compile(module.Model().work, backend="eager", fullgraph=True)
    compiled(torch.ones(2))
    seen = []

    def work(value):
        for _ in range(20):
            try:
                seen.append(compiled(torch.full((2,), value)).tolist())
            except ValueError as problem:
                seen.append(str(problem))

    threads = [threading.Thread(target=work, args=(v,)) for v in (float("nan"),) * 3 + (1.0,)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen.count("not a number") == 60
    assert seen.count([4.0, 4.0]) == 20
    assert torch._dynamo.eval_frame._stance.stance == "default"
