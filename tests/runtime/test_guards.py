"""Guards: the original's exception, and everything it did before, from compiled graphs."""

from __future__ import annotations

import traceback

import fake_core
import graphmend
import pytest
import torch
from differential import check, run
from graphmend import mending

ALL = ("eager", "aot_eager", "inductor")
OK, BAD = torch.ones(3), torch.full((3,), 1000.0)


def test_exception_and_writes(tmp_path):
    text = """
    SEEN = []
    COUNT = {"n": 0}
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 0
            self.log = []
            self.register_buffer("buf", torch.zeros(3))
        def forward(self, x, other):
            self.n += 1
            self.log.append(self.n)
            SEEN.append(1)
            COUNT["n"] += 1
            self.buf.add_(x)
            other.mul_(2)
            y = x + self.buf
            if y.max() > 500:
                raise ValueError(f"too large: {y.max()} at {self.n}")
            self.buf.mul_(3)
            return y * other
    make = Net
    """
    inputs = [(OK, OK), (BAD, OK), (OK, OK), (BAD, BAD), (OK, OK)]
    check(tmp_path, text, inputs, backends=ALL)


def test_training(tmp_path):
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(3, 3)
        def forward(self, x):
            y = self.a(x)
            assert torch.isfinite(y).all(), "not finite"
            return y * 2
    make = Net
    """
    check(tmp_path, text, [(OK,), (OK * float("inf"),), (OK,)], train=True)


def test_effects_are_emitted_once(tmp_path):
    text = """
    log = logging.getLogger("program")
    def step(x):
        print("before", x.sum())
        log.warning("step")
        if x.sum() > 100:
            raise RuntimeError("large")
        print("after")
        return x + 1
    def make():
        return step
    """
    check(tmp_path, text, [(OK,), (BAD,), (OK,), (BAD,)])


def test_random_streams(tmp_path):
    text = """
    def step(x):
        y = x + torch.rand(3) + random.uniform(0, 1)
        if y.sum() > 100:
            raise RuntimeError(f"large {y}")
        return y
    def make():
        return step
    """
    check(tmp_path, text, [(OK,), (BAD,), (OK,), (BAD,)], backends=("eager", "aot_eager"))


def test_raise_deep_in_modules(tmp_path):
    text = """
    class Bad(ValueError):
        pass
    class Inner(torch.nn.Module):
        def forward(self, x):
            if (x > 100).any():
                raise Bad("inner", x.shape)
            return x * 2
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
            self.calls = 0
        def forward(self, x):
            self.calls += 1
            x = self.inner(x)
            self.calls += 1
            return self.inner(x)
    make = Net
    """
    check(tmp_path, text, [(OK,), (BAD,), (OK * 80,), (OK,)])


def test_caught_in_the_model(tmp_path):
    text = """
    def risky(x):
        if x.sum() > 100:
            raise ValueError("large")
        return x + 1
    def step(x):
        try:
            y = risky(x)
        except ValueError:
            y = x - 1
        return y * 2
    def make():
        return step
    """
    check(tmp_path, text, [(OK,), (BAD,), (OK,)])


def test_traceback_names_the_original_lines(tmp_path):
    text = """
    def inner(x):
        if x.sum() > 100:
            raise ValueError("large")
        return x + 1
    def step(x):
        return inner(x)
    def make():
        return step
    """
    mending.core = fake_core.FakeCore()
    frames, contexts = [], []

    def wrap(target):
        compiled = graphmend.compile(target, backend="eager", fullgraph=True)

        def call(x):
            try:
                return compiled(x)
            except ValueError as error:
                contexts.append(error.__context__)
                frames.extend(traceback.extract_tb(error.__traceback__))
                raise

        return call

    run(tmp_path, text, [(OK,), (BAD,)], wrap)
    assert contexts == [None]
    own = [(f.name, f.lineno) for f in frames if f.filename.endswith("program.py")]
    assert own == [("step", 9), ("inner", 6)]


def test_after_a_graph_break_the_original_stays(tmp_path):
    text = """
    import gc
    LOG = []
    def step(x):
        LOG.append(1)
        gc.collect(0)
        torch._dynamo.graph_break()
        if x.sum() > 100:
            raise ValueError("large")
        return x + 1
    def make():
        return step
    """
    report = check(tmp_path, text, [(OK,), (BAD,), (OK,)], fullgraph=False, mended=False)
    assert "graph break comes before" in str(report)


def test_compiled_alone_and_as_a_part(tmp_path):
    """The same function as the first frame of one call and below a break of another."""
    text = """
    LOG = []
    def part(x):
        if x.sum() > 100:
            raise ValueError("large")
        return x + 1
    def whole(x):
        LOG.append(1)
        torch._dynamo.graph_break()
        return part(x)
    def make():
        return part, whole
    """
    inputs = [(OK,), (BAD,), (OK,), (BAD,)]
    plain, _ = run(tmp_path, text, inputs, lambda pair: lambda x: (_try(pair[0], x), pair[1](x)))
    mending.core = fake_core.FakeCore()

    def wrap(pair):
        one = graphmend.compile(pair[0], backend="aot_eager")
        two = graphmend.compile(pair[1], backend="aot_eager")
        return lambda x: (_try(one, x), two(x))

    found, _ = run(tmp_path, text, inputs, wrap)
    assert found == plain


def _try(function, x):
    try:
        return function(x)
    except ValueError as error:
        return str(error)


def test_forward_hooks_keep_the_original(tmp_path):
    text = """
    CALLS = []
    class Net(torch.nn.Module):
        def forward(self, x):
            if x.sum() > 100:
                raise ValueError("large")
            return x + 1
    def make():
        net = Net()
        net.register_forward_pre_hook(lambda module, args: CALLS.append(1))
        return net
    """
    report = check(tmp_path, text, [(OK,), (BAD,), (OK,)], fullgraph=False, mended=False)
    assert "hooks" in str(report)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_predicate_of_several_elements(tmp_path, backend):
    text = """
    def step(x):
        if x > 100:
            raise ValueError("large")
        return x + 1
    def make():
        return step
    """
    check(
        tmp_path,
        text,
        [(OK,), (torch.ones(1),), (torch.full((1,), 200.0),)],
        backends=(backend,),
        fullgraph=False,
        mended=False,
    )


def test_python_random_alone(tmp_path):
    text = """
    def step(x):
        y = x + random.uniform(0, 1)
        if y.sum() > 100:
            raise RuntimeError(f"large {y}")
        return y
    def make():
        return step
    """
    check(tmp_path, text, [(OK,), (BAD,), (OK,), (BAD,)])
