"""Updates: attributes rebound by a tensor, as position encodings of growing models do."""

from __future__ import annotations

import fake_core
import graphmend
import pytest
import torch
from differential import check, run
from graphmend import mending

ALL = ("eager", "aot_eager", "inductor")
SHORT, LONG = torch.arange(4.0), torch.arange(20.0)

ROPE = """
def grow(scale, device=None):
    return torch.arange(1.0, 4.0) * scale, 1.0
def updating(forward):
    def choose(self, positions, device):
        length = torch.max(positions) + 1
        if length > self.limit:
            if not hasattr(self, "long_freq"):
                self.long_freq, _ = self.init(2.0, device)
            self.register_buffer("freq", self.long_freq, persistent=False)
        else:
            self.original = self.original.to(device)
            self.register_buffer("freq", self.original, persistent=False)
    @functools.wraps(forward)
    def wrapper(self, positions):
        choose(self, positions, device=positions.device)
        return forward(self, positions)
    return wrapper
class Rope(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.init = grow
        self.limit = 8
        self.register_buffer("freq", grow(1.0)[0], persistent=False)
        self.original = self.freq
    @updating
    def forward(self, positions):
        return positions[:, None] * self.freq
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rope = Rope()
    def forward(self, positions):
        return self.rope(positions) * 2
make = Net
"""


@pytest.mark.parametrize("backend", ALL)
def test_rope(tmp_path, backend):
    inputs = [(SHORT,), (SHORT,), (LONG,), (SHORT,), (LONG,), (LONG * 2,)]
    check(tmp_path, ROPE, inputs, backends=(backend,))


@pytest.mark.parametrize("backend", ALL)
def test_identity(tmp_path, backend):
    """The attribute holds the very object that the statement bound."""
    mending.core = fake_core.FakeCore()

    def wrap(net):
        compiled = graphmend.compile(net, backend=backend, fullgraph=True)

        def call(positions):
            result = compiled(positions)
            rope = net.rope
            wanted = rope.long_freq if positions.max() >= 8 else rope.original
            assert rope.freq is wanted
            assert "freq" in rope._buffers
            assert "freq" in rope._non_persistent_buffers_set
            return result

        return call

    seen, _ = run(tmp_path, ROPE, [(SHORT,), (LONG,), (SHORT,)], wrap)
    assert not any(entry.error for entry in seen), seen


def test_two_modules(tmp_path):
    text = ROPE.replace("self.rope = Rope()", "self.rope = Rope(); self.second = Rope()").replace(
        "self.rope(positions) * 2", "self.rope(positions) * self.second(positions + 5)"
    )
    inputs = [(SHORT,), (LONG,), (SHORT,)]
    check(tmp_path, text, inputs)


def test_other_shape_runs_the_original(tmp_path):
    text = ROPE.replace("self.init(2.0, device)", "(torch.ones(1), 0)")
    check(tmp_path, text, [(SHORT,), (LONG,), (SHORT,)])


def test_statement_that_raises(tmp_path):
    text = ROPE.replace("self.init(2.0, device)", "self.init(None, device)")
    check(tmp_path, text, [(SHORT,), (LONG,), (SHORT,)])


def test_guard_after_an_update(tmp_path):
    text = ROPE.replace(
        "        return self.rope(positions) * 2",
        "        y = self.rope(positions)\n"
        "        if positions.max() > 30:\n"
        "            raise ValueError('far')\n"
        "        return y",
    )
    check(tmp_path, text, [(SHORT,), (LONG * 2,), (SHORT,), (LONG,)], backends=ALL)


def test_attribute_returned(tmp_path):
    text = ROPE.replace("self.rope(positions) * 2", "self.rope(positions), self.rope.freq")
    check(tmp_path, text, [(SHORT,), (LONG,), (SHORT,)])


def test_python_attribute_used_elsewhere_stays(tmp_path):
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("freq", torch.ones(3))
            self.longest = 1
        def forward(self, x):
            if x.sum() > self.longest:
                self.freq = self.freq * 2
                self.longest = 10
            return x * self.freq * self.longest
    make = Net
    """
    report = check(
        tmp_path, text, [(torch.ones(3),), (torch.ones(3),)], fullgraph=False, mended=False
    )
    assert "not a tensor" in str(report)


def test_no_recompiles_for_the_attribute(tmp_path):
    """Which tensor the attribute holds at the start of a call is not guarded."""
    mending.core = fake_core.FakeCore()
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph

    def wrap(net):
        return graphmend.compile(net, backend=backend, fullgraph=True, dynamic=True)

    inputs = [(SHORT,), (LONG,), (SHORT,), (LONG,), (SHORT,)]
    seen, _ = run(tmp_path, ROPE, inputs, wrap)
    assert not any(entry.error for entry in seen), seen
    assert len(graphs) == 1
