"""``graphmend.compile``: the result is what ``torch.compile`` gives, and costs little."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import textwrap
import threading
import timeit

import fake_core
import graphmend
import pytest
import torch
from differential import load
from graphmend import dynamo, mending, runtime

TEXT = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)
        self.calls = 0
    def forward(self, x):
        y = self.layer(x)
        if y.abs().sum() > 1e6:
            raise ValueError("large")
        return y
def step(x):
    if x.sum() > 1e6:
        raise ValueError("large")
    return x + 1
"""


@pytest.fixture
def program(tmp_path):
    mending.core = fake_core.FakeCore()
    torch._dynamo.reset()
    return load(tmp_path, TEXT)


def test_module(program):
    net = program.Net()
    compiled = graphmend.compile(net, backend="eager", fullgraph=True)
    assert isinstance(compiled, torch._dynamo.eval_frame.OptimizedModule)
    assert compiled.calls == 0
    compiled.calls = 3
    assert net.calls == 3
    assert list(compiled.state_dict()) == [f"_orig_mod.{key}" for key in net.state_dict()]
    compiled.eval()
    assert not net.training
    x = torch.randn(2, 3)
    assert torch.equal(compiled(x), net(x))
    with pytest.raises(ValueError, match=r"^large$"):
        compiled(x + 1e9)


def test_function(program):
    compiled = graphmend.compile(program.step, backend="eager", fullgraph=True)
    assert compiled.__name__ == "step"
    assert compiled.__doc__ == program.step.__doc__
    with pytest.raises(ValueError, match=r"^large$"):
        compiled(torch.full((3,), 1e9))


def test_decorator(program):
    compiled = graphmend.compile(backend="eager", fullgraph=True)(program.step)
    assert torch.equal(compiled(torch.ones(2)), torch.full((2,), 2.0))


def test_disable(program):
    assert graphmend.compile(program.step, disable=True) is program.step


def test_copy(program):
    net = program.Net()
    compiled = graphmend.compile(net, backend="eager", fullgraph=True)
    twin = copy.deepcopy(compiled)
    for call in (compiled, twin):
        with pytest.raises(ValueError, match=r"^large$"):
            call(torch.full((2, 3), 1e30))


def test_mode_and_options(program):
    with pytest.raises(RuntimeError, match="Either mode or options"):
        graphmend.compile(program.step, mode="default", options={"fallback_random": True})
    compiled = graphmend.compile(program.step, options={"fallback_random": True})
    assert compiled.get_compiler_config()["fallback_random"] is True
    seen = []

    def backend(graph, inputs, **kwargs):
        seen.append(kwargs)
        return graph

    graphmend.compile(program.step, backend=backend, options={"a": 1})(torch.ones(2))
    assert seen == [{"options": {"a": 1}}]


def test_same_backend_shares_entries(program):
    count = []

    def backend(graph, inputs):
        count.append(1)
        return graph

    for _ in range(2):
        graphmend.compile(program.step, backend=backend)(torch.ones(2))
    assert len(count) == 1


def test_plain_compile_sees_nothing(program):
    graphmend.compile(program.step, backend="eager")
    torch._dynamo.reset()
    with pytest.raises(torch._dynamo.exc.Unsupported, match="branching"):
        torch.compile(program.step, backend="eager", fullgraph=True)(torch.ones(2))


def test_export_holds_no_operator(program):
    graphmend.compile(program.Net(), backend="eager")
    net = program.Net()
    with pytest.raises(Exception, match=r"."):
        torch.export.export(net, (torch.ones(2, 3),), strict=True)


def test_threads(program):
    compiled = graphmend.compile(program.step, backend="eager", fullgraph=True)
    compiled(torch.ones(3))
    wrong = []

    def work(value):
        for _ in range(50):
            try:
                compiled(torch.full((3,), value))
                fine = value < 1e5
            except ValueError:
                fine = value > 1e5
            if not fine:
                wrong.append(value)

    threads = [threading.Thread(target=work, args=(v,)) for v in (1.0, 1e9, 2.0, 1e10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_report(program):
    compiled = graphmend.compile(program.step, backend="eager", fullgraph=True)
    compiled(torch.ones(2))
    report = graphmend.report(compiled)
    assert [(site.status, site.mend) for site in report.sites] == [("mended", "guard")]
    assert "program.py:10: " not in str(report)
    assert "guard" in str(report)
    data = json.loads(report.to_json())
    assert data["sites"][0]["line"] == report.sites[0].line
    assert data["mend_ms"] > 0
    assert len(graphmend.report().sites) >= 1
    with pytest.raises(TypeError, match=r"graphmend\.compile"):
        graphmend.report(len)


def test_unsupported_torch(monkeypatch):
    monkeypatch.setattr(dynamo, "TESTED", ("0.0",))
    assert dynamo.problem() == ""
    monkeypatch.setitem(dynamo._NEEDED, "torch._dynamo.trace_rules", ("no_such_name",))
    assert "no_such_name" in dynamo.problem()
    monkeypatch.setattr(dynamo, "_installed", False)
    with pytest.raises(dynamo.UnsupportedTorch, match="does not support"):
        graphmend.compile(lambda x: x)


def test_survives_a_dynamo_reset(program):
    compiled = graphmend.compile(program.step, backend="eager", fullgraph=True)
    compiled(torch.ones(2))
    torch._dynamo.reset()
    compiled(torch.ones(2))


def test_gate_is_cheap():
    def empty():
        return False

    space = {"g": runtime, "empty": empty}
    base = min(timeit.repeat("empty()", globals=space, number=200_000, repeat=7))
    gate = min(timeit.repeat("g.active()", globals=space, number=200_000, repeat=7))
    assert gate < 4 * base


def test_call_is_cheap(program):
    plain = torch.compile(lambda x: (x + 1, x.sum() > 1e6), backend="eager")
    compiled = graphmend.compile(program.step, backend="eager", fullgraph=True)
    x = torch.ones(2)
    compiled(x), plain(x)
    per_call = min(timeit.repeat(lambda: compiled(x), number=500, repeat=7)) / 500
    reference = min(timeit.repeat(lambda: plain(x), number=500, repeat=7)) / 500
    assert per_call < 4 * reference


CACHED = """
import sys
sys.path[:0] = {paths!r}
import torch, fake_core, graphmend, program
from graphmend import mending
from torch._dynamo.utils import counters
mending.core = fake_core.FakeCore()
net = torch.manual_seed(0) and program.Net()
call = graphmend.compile(net, fullgraph=True)
x = torch.randn(2, 3)
call(x).sum().backward()
with torch.no_grad():
    call(x)
try:
    call(x + 1e9)
except ValueError as error:
    print(error)
print(net.layer.weight.grad.sum().item())
print(dict(counters["inductor"]), dict(counters["aot_autograd"]), file=sys.stderr)
"""


@pytest.mark.slow
def test_second_process_hits_the_cache(tmp_path):
    text = TEXT.replace("        return y\n", "        print('sum', y.sum())\n        return y\n")
    (tmp_path / "program.py").write_text("import torch\n" + text)
    here = str(next(p for p in sys.path if p.endswith("runtime")))
    package = str(graphmend.__path__[0]).rsplit("/", 1)[0]
    script = textwrap.dedent(CACHED).format(paths=[str(tmp_path), here, package])
    results = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env={
                "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"),
                "PATH": "/usr/bin:/bin",
                "HOME": str(tmp_path),
            },
        )
        results.append(done)
    assert results[0].stdout == results[1].stdout
    assert "large" in results[0].stdout
    assert "bypass" not in results[1].stderr, results[1].stderr
    assert "cache_hit" in results[1].stderr, results[1].stderr
