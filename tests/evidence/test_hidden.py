"""Functions that no walk over names reaches are mended when a trace comes to them."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import itertools
import logging
import os
import random
import sys
import warnings

import graphmend
import pytest
import torch
from graphmend import mending, swap

from tests.evidence import hidden

CASES = [(way, body) for way in hidden.WAYS for body in hidden.BODIES]
ROWS = [
    torch.tensor([[1.0, 2.0]]),
    torch.tensor([[-1.0, -2.0]]),
    torch.tensor([[3.0, -9.0]]),
    torch.tensor([[4000.0, 1.0]]),
]
_numbers = itertools.count()


@pytest.fixture(autouse=True)
def _clean():
    torch._dynamo.reset()
    yield
    swap.take_out(forget=True)
    mending.forget()
    torch._dynamo.reset()


def load(tmp_path, way, body):
    path = tmp_path / "hidden_program.py"
    path.write_text(hidden.text(way, body))
    name = f"hidden_program_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Tape(logging.Handler):
    def __init__(self):
        super().__init__()
        self.events = []

    def emit(self, record):
        self.events.append(
            (record.name, record.levelname, record.getMessage(), record.lineno, record.funcName)
        )


def calls(module, function):
    """All that the calls with every row show."""
    seen = []
    tape, out = Tape(), io.StringIO()
    logger = logging.getLogger("hidden")
    logger.addHandler(tape)
    logger.propagate = False
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for row in ROWS:
            given = row.clone()
            make = getattr(module, "arguments", lambda x: (x,))
            try:
                result = function(*make(given)).detach().tolist()
            except Exception as problem:
                result = type(problem).__name__, str(problem)
            seen.append((result, given.tolist()))
    logger.removeHandler(tape)
    shown = [(str(w.message), w.category.__name__, w.filename, w.lineno) for w in warned]
    return seen, out.getvalue(), tape.events, shown


def made(module, compile=None):
    """The model, compiled before the program hides anything in it, and hidden then."""
    model = module.Model()
    function = compile(model) if compile is not None else model
    getattr(module, "after", lambda _: None)(model)
    return function


def check_one_graph(tmp_path, way, body):
    count = {"graphs": 0, "calls": 0}

    def backend(graph, inputs):
        count["graphs"] += 1

        def run(*arguments):
            count["calls"] += 1
            return graph.forward(*arguments)

        return run

    module = load(tmp_path, way, body)
    wanted = calls(module, made(module))
    module = load(tmp_path, way, body)
    compiled = made(module, lambda m: graphmend.compile(m, backend=backend, fullgraph=True))
    got = calls(module, compiled)
    assert got == wanted
    report = graphmend.report(compiled)
    assert report.found >= 1, "nothing was hidden"
    assert not report.breaks
    assert count["calls"] == len(ROWS), "one call of the backend for each call"
    assert report.extra_traces == 0


@pytest.mark.parametrize(("way", "body"), CASES, ids=[f"{way.name}-{body}" for way, body in CASES])
def test_one_graph(tmp_path, way, body):
    check_one_graph(tmp_path, way, body)


@pytest.mark.parametrize("seed", range(int(os.environ.get("GRAPHMEND_HIDDEN", "10"))))
def test_random_program(tmp_path, seed):
    """Make hidden runs a hundred of them."""
    draw = random.Random(seed)
    way = draw.choice(hidden.WAYS)
    body = hidden.random_body(draw)
    check_one_graph(tmp_path, way, body)
    torch._dynamo.reset()
    module = load(tmp_path, way, body)
    plain = made(module, lambda m: torch.compile(m, backend="eager", fullgraph=True))
    with graphmend.disabled(), pytest.raises(torch._dynamo.exc.Unsupported):
        plain(*getattr(module, "arguments", lambda x: (x,))(ROWS[0].clone()))


@pytest.mark.parametrize("way", hidden.WAYS, ids=lambda way: way.name)
def test_plain_torch_breaks(tmp_path, way):
    """Without mending each of these programs breaks, so the tests above show something."""
    module = load(tmp_path, way, "print")
    compiled = made(module, lambda m: torch.compile(m, backend="eager", fullgraph=True))
    with pytest.raises(torch._dynamo.exc.Unsupported):
        compiled(*getattr(module, "arguments", lambda x: (x,))(ROWS[0].clone()))
