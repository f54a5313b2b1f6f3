"""Effects: the same output, records and warnings, in order, from compiled graphs."""

from __future__ import annotations

import importlib.util
import sys
import warnings

import graphmend
import pytest
import torch
from differential import check
from torch._inductor.utils import fresh_cache

ALL = ("eager", "aot_eager", "inductor")


def test_order_of_kinds(tmp_path):
    text = """
    log = logging.getLogger("program")
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)
        def forward(self, x):
            print("in", x)
            y = self.layer(x)
            log.warning("shape %s", y.shape)
            warnings.warn("careful")
            print(y)
            y = y * 2
            print("sum", y.sum())
            return y
    make = Net
    """
    inputs = [(torch.randn(2, 3),), (torch.randn(2, 3),), (torch.randn(4, 3),)]
    check(tmp_path, text, inputs, backends=ALL, train=True)


def test_later_write_does_not_show(tmp_path):
    text = """
    def step(x):
        y = x + 1
        print(y)
        y.mul_(2)
        print(y)
        x.add_(1)
        print(x)
        return y
    def make():
        return step
    """
    check(tmp_path, text, [(torch.ones(2),), (torch.zeros(2),)])


def test_records_name_inlined_functions(tmp_path):
    text = """
    log = logging.getLogger("program")
    def helper(x):
        log.info("in helper %s", 1)
        warnings.warn("one up", stacklevel=2)
        return x + 1
    def outer(x):

        x = helper(x)
        return helper(x)
    class Inner(torch.nn.Module):
        def forward(self, x):
            log.error("inner")
            return outer(x)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
        def forward(self, x):
            return self.inner(x) + self.inner(x)
    make = Net
    """
    check(tmp_path, text, [(torch.ones(2),)] * 2, backends=ALL)


def test_once_helpers(tmp_path):
    text = """
    log = logging.getLogger("program")
    @functools.lru_cache(None)
    def warning_once(self, *args):
        self.warning(*args)
    logging.Logger.warning_once = warning_once
    def step(x):
        log.warning_once("only once")
        warnings.warn("also once")
        return x * 2
    def make():
        warning_once.cache_clear()
        return step
    """
    check(tmp_path, text, [(torch.ones(2),), (torch.ones(2),), (torch.ones(3),)])


def test_stacklevel_beyond_the_compiled_call(tmp_path):
    text = """
    def step(x):
        warnings.warn("up two", stacklevel=2)
        return x * 2
    class Caller:
        def __init__(self):
            self.step = step
        def __call__(self, x):
            return self.step(x)
    def make():
        return step
    """
    check(tmp_path, text, [(torch.ones(2),)])


def test_effect_in_tensor_branch(tmp_path):
    text = """
    def step(x):
        if x.sum() > 0:
            print("positive", x.max())
        return x * 2
    def make():
        return step
    """
    check(tmp_path, text, [(torch.ones(2),), (-torch.ones(2),)], train=True)


def test_operands_of_many_kinds(tmp_path):
    text = """
    import collections, dataclasses
    Pair = collections.namedtuple("Pair", "a b")
    @dataclasses.dataclass
    class Box:
        value: object
        name: str = "box"
    def step(x, flag, names):
        y = x * 2
        parts = [y, (x, 3)]
        table = {"y": y, "n": [1, 2.5, None]}
        pair = Pair(x, 1)
        box = Box(y)
        size = x.shape
        kind = x.dtype
        print(parts, table, pair, box, size, kind, flag, names, {1, 2}, f"{y.sum():.3f}")
        return y
    def make():
        return step
    """
    inputs = [(torch.ones(2), True, ("a", "b")), (torch.ones(3), False, ["c"])]
    check(tmp_path, text, inputs)


def test_parameter_shows_as_parameter(tmp_path):
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(2))
        def forward(self, x):
            w = self.weight
            y = x * w
            print(w, y, x)
            return y
    make = Net
    """
    check(tmp_path, text, [(torch.ones(2),)] * 2, train=True)


def test_dynamic_size(tmp_path):
    text = """
    def step(x):
        n = x.shape[0] * 2
        print(n, x.shape)
        return x + n
    def make():
        return step
    """
    check(tmp_path, text, [(torch.ones(n),) for n in (2, 3, 5, 7)])


def test_statement_that_raises(tmp_path):
    text = """
    class Bad:
        def __str__(self):
            raise KeyError("no text")
    BAD = []
    def step(x):
        y = x + 1
        print(BAD[3], y)
        return y
    def make():
        return step
    """
    check(tmp_path, text, [(torch.ones(2),)], backends=("eager", "aot_eager"))


@pytest.mark.parametrize("backend", ALL)
def test_gradients_with_effects(tmp_path, backend):
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(3, 4)
            self.b = torch.nn.Linear(4, 2)
        def forward(self, x):
            h = torch.relu(self.a(x))
            print(h.mean())
            return self.b(h)
    make = Net
    """
    check(tmp_path, text, [(torch.randn(2, 3),)] * 2, backends=(backend,), train=True)


def test_effect_that_raises_keeps_earlier_writes(tmp_path):
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.n = 0
            self.register_buffer("buf", torch.zeros(2))
        def forward(self, x, other):
            self.n += 1
            self.buf.add_(1)
            other.mul_(2)
            print("first")
            print(f"{x.sum():d}")
            return x + self.buf
    make = Net
    """
    check(tmp_path, text, [(torch.ones(2), torch.ones(2))] * 2)


ONCE = """
import torch
import warnings

def forward(x):
    warnings.warn("only once")
    return torch.nn.functional.silu(x * 3).sum()
"""


def _seen(path, call, between=lambda: None):
    """Which of three calls, each with its backward, warn."""
    inputs = [torch.ones(size, requires_grad=True) for size in (3, 3, 5)]
    seen = []
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        shown = []
        warnings.showwarning = lambda *told: shown.append(told)
        for tensor in inputs:
            call(tensor).backward()
            seen.append(sum(told[2] == str(path) for told in shown))
            shown.clear()
            between()
    return seen


@pytest.mark.parametrize("backend", ALL)
@pytest.mark.parametrize("change", [lambda: None, lambda: warnings.simplefilter("default")])
def test_compiling_does_not_forget_what_was_warned(tmp_path, backend, change):
    path = tmp_path / "once.py"
    path.write_text(ONCE)

    def fresh():
        spec = importlib.util.spec_from_file_location("once", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["once"] = module
        spec.loader.exec_module(module)
        return module.forward

    wanted = _seen(path, fresh(), change)
    with fresh_cache():
        mended = graphmend.compile(fresh(), backend=backend, fullgraph=True, dynamic=False)
        assert _seen(path, mended, change) == wanted


def test_effect_between_kernels_that_inductor_holds_back():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = torch.nn.ModuleList(torch.nn.Embedding(16, 8) for _ in range(3))
            self.norm = torch.nn.LayerNorm(8)
            self.layer = torch.nn.Linear(8, 8)

        def forward(self, ids):
            x = self.norm(sum(table(ids) for table in self.tables))
            mask = torch.ones(ids.shape)
            warnings.warn("in between", stacklevel=1)
            mask = (1.0 - mask[:, None, :]) * torch.finfo(x.dtype).min
            return self.layer(x), mask

    torch.manual_seed(0)
    net = Net()
    with fresh_cache(), torch.no_grad(), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        mended = graphmend.compile(net, fullgraph=True)
        for size in (8, 6):
            ids = torch.arange(size).reshape(1, size)
            torch.testing.assert_close(mended(ids), net(ids))
    assert sum(str(warning.message) == "in between" for warning in told) == 4
