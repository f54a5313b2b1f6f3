"""What verification puts back between its two runs, wherever a program keeps it."""

from __future__ import annotations

import importlib.util
import itertools
import logging
import sys
import warnings

import graphmend
import pytest
import torch
from graphmend import swap, verify

_numbers = itertools.count()
HEAD = "import functools, sys\nimport torch\n"
PROGRAMS = {
    "default": """
def work(x, seen=[], *, table={}):
    print("work", len(seen))
    seen.append(1)
    table[len(table)] = tuple(x.shape)
    return x + len(seen), dict(table)

def make():
    return work
""",
    "cell behind a partial": """
def build(scale):
    count = 0
    def inner(x, by):
        nonlocal count
        count += 1
        print("inner", count)
        return x * scale * by, count
    return inner

def make():
    return functools.partial(build(2.0), by=3)
""",
    "default of a method": """
class Model(torch.nn.Module):
    def step(self, x, seen=[]):
        seen.append(1)
        return x + len(seen)

    @property
    def scale(self, seen=[]):
        seen.append(1)
        return len(seen)

    def forward(self, x):
        print("model")
        return self.step(x) * self.scale

def make():
    return Model()
""",
    "closure of a decorator": """
def counted(function):
    calls = []
    @functools.wraps(function)
    def call(self, x):
        calls.append(1)
        print("calls", len(calls))
        return function(self, x) + len(calls)
    return call

class Model(torch.nn.Module):
    @counted
    def forward(self, x):
        return x * 2

def make():
    return Model()
""",
    "text written to a stream": """
def work(x):
    print("first", end=" | ")
    sys.stdout.write("second\\n")
    print("third", file=sys.stderr)
    sys.stderr.write("fourth\\n")
    return x + 1

def make():
    return work
""",
    "kept results": """
@functools.lru_cache(None)
def table(size):
    print("made", size)
    return torch.arange(size) * 1.0

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        print("model")
        return x + table(x.shape[0]), self.calls.clone()

def make():
    table.cache_clear()
    return Model()
""",
    "compiled within": """
import graphmend

class Model(torch.nn.Module):
    def forward(self, x):
        x = PARTS[0](x)
        if x.isnan().any():
            raise ValueError("not a number")
        return x * 2

def part(x):
    print("part")
    return x + 1

PARTS = [part]

def make():
    PARTS[0] = part
    return Model()

def before_compiling():
    PARTS[0] = graphmend.compile(part, backend="eager", verify="always")
""",
}
ROWS = [torch.ones(2), torch.full((2,), float("nan")), -torch.ones(2), torch.ones(3)]


@pytest.fixture(autouse=True)
def _clean(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHMEND_REPRODUCERS", str(tmp_path / "reproducers"))
    torch._dynamo.reset()
    yield
    swap.restore()
    torch._dynamo.reset()


def load(tmp_path, text):
    name = f"stateful_{next(_numbers)}"
    path = tmp_path / f"{name}.py"
    path.write_text(HEAD + text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def calls(function, capsys):
    capsys.readouterr()
    seen = []
    for row in ROWS:
        try:
            seen.append(str(function(row.clone())))
        except ValueError as problem:
            seen.append(str(problem))
    shown = capsys.readouterr()
    return seen, shown.out, shown.err


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_second_run_begins_where_the_first_did(tmp_path, capsys, name):
    wanted = calls(load(tmp_path, PROGRAMS[name]).make(), capsys)
    module = load(tmp_path, PROGRAMS[name])
    target = module.make()
    getattr(module, "before_compiling", lambda: None)()
    compiled = graphmend.compile(target, backend="eager", verify="always")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", verify.DifferenceWarning)
        got = calls(compiled, capsys)
    assert got == wanted
    assert not graphmend.report(compiled).off


def test_kept_results_are_told(tmp_path, caplog):
    module = load(tmp_path, PROGRAMS["kept results"])
    compiled = graphmend.compile(module.make(), backend="eager", verify="always")
    with caplog.at_level(logging.WARNING), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            compiled(torch.ones(2))
    told = [r.getMessage() for r in caplog.records if "not verified" in r.getMessage()]
    assert told == ["a call was not verified: functools.lru_cache kept a new result of table"]
