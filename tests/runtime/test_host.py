"""Values read on the host and shapes made from data: in the graph, or computed before it."""

from __future__ import annotations

import threading

import graphmend
import pytest
import torch
from differential import check, run

BOTH = ("eager", "aot_eager")
X = torch.arange(24.0).reshape(4, 6)
T = torch.tensor


class Counting:
    """The eager backend, with its graphs counted."""

    def __init__(self):
        self.graphs = []
        self.calls = 0

    def __call__(self, graph, inputs):
        self.graphs.append(graph)

        def call(*arguments):
            self.calls += 1
            return graph(*arguments)

        return call


def compiles(function, inputs, **arguments):
    """Call with each of the inputs, compare with eager, and count graphs."""
    torch._dynamo.reset()
    backend = Counting()
    compiled = graphmend.compile(function, backend=backend, **arguments)
    for number, values in enumerate(inputs):
        assert torch.equal(compiled(*values), function(*values))
        assert backend.calls == number + 1, "one graph, called once for each call"
    return backend, compiled


PRELUDES = {
    "slice": (
        """
        def make():
            return lambda x, n: x[: n.max().item()] + 1
        """,
        [(X, T([2, 1])), (X, T([3, 3])), (X, T([1, 0])), (X, T([0, 0])), (X, T([-1, -2]))],
    ),
    "split": (
        """
        def f(x, n):
            return torch.cat([part * i for i, part in enumerate(x.split(n.tolist()))])
        make = lambda: f
        """,
        [(X, T([2, 2])), (X, T([1, 3])), (X, T([3, 1])), (X, T([2, 1, 1])), (X, T([2, 3]))],
    ),
    "branch on a tensor": (
        """
        def f(x, m):
            if m.any():
                return {"yes": x * 2}
            return {"no": x}
        make = lambda: f
        """,
        [(X, T([True, False])), (X, T([False, False])), (X, T([True, True]))],
    ),
    "flag": (
        """
        def f(x, m):
            used = m.any().item()
            y = x * 2 if used else x - 1
            return y, used
        make = lambda: f
        """,
        [(X, T([True, False])), (X, T([False, False])), (X, T([True, True]))],
    ),
    "nonzero": (
        """
        def f(x, m):
            rows = torch.nonzero(m)[:, 0]
            y = x[rows] * 2
            if len(rows) > 1:
                y = y + 1
            return y, rows
        make = lambda: f
        """,
        [(X, T([True, False, False, True])), (X, T([False] * 4)), (X, T([True] * 4))],
    ),
    "where": (
        """
        def f(x, m):
            rows = torch.where(m)[0]
            if len(rows) > 0:
                x = x.clone()
                x[rows] = x[rows] * 2
            return x
        make = lambda: f
        """,
        [(X, T([True, False, False, True])), (X, T([False] * 4)), (X, T([True] * 4))],
    ),
    "written before it is read": (
        """
        def f(x, n):
            m = torch.zeros(4, dtype=torch.long)
            m[1:] = n
            m += 1
            return x[: m.max().item()]
        make = lambda: f
        """,
        [(X, T(1)), (X, T(2)), (X, T(3))],
    ),
    "mask": (
        """
        def f(x, m):
            y = (x * 2)[m]
            return y[: len(y) // 2], x[0, m[0]]
        make = lambda: f
        """,
        [(X, X > 3), (X, X > 100), (X, X < 2), (X, X < 30)],
    ),
    "segments": (
        """
        def f(x, ids):
            n = ids.shape[0]
            rows = torch.nonzero((ids == 7) | (ids == 8))
            m, p, before = torch.eye(n).bool(), torch.zeros(n), 0
            for i in range(rows.shape[0]):
                (at,) = rows[i]
                if (at == 0) or (at == n - 1):
                    m[at, at] = True
                else:
                    m[before + 1 : at + 1, before + 1 : at + 1] = True
                    p[before + 1 : at + 1] = torch.arange(0, at - before)
                before = at
            return m.float() * x.sum() + p
        make = lambda: f
        """,
        [(X, T(ids)) for ids in ([7, 1, 2, 8, 3, 8], [7, 1, 8, 2, 3, 8], [7, 8, 2, 8, 3, 8])],
    ),
    "buffer": (
        """
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("pad", torch.tensor([1, 2]))
            def forward(self, x):
                return torch.nn.functional.pad(x, (int(self.pad[0]), int(self.pad.max()))) * 2
        make = Net
        """,
        [(X,), (X * 2,)],
    ),
    "sizes given by tensors": (
        """
        def f(x, m):
            widest = m.sum(1).max()
            half = torch.div(x.size(1), 2, rounding_mode="trunc")
            y = (x * 2).view(x.size(0), half, 2)
            return y.narrow(1, 0, widest), x.new_zeros(2, widest)
        make = lambda: f
        """,
        [(X, T([[1, 1, 0], [1, 0, 0]])), (X, T([[1, 0, 0], [0, 0, 0]])), (X[:, :4], T([[1], [0]]))],
    ),
}


@pytest.mark.parametrize("name", PRELUDES)
def test_prelude(tmp_path, name):
    text, inputs = PRELUDES[name]
    report = check(tmp_path, text, inputs, backends=BOTH, mended=False)
    reads = [site for site in report.sites if site.kind == "host-read"]
    assert reads, report
    assert any(site.mend == "prelude" for site in reads), report
    assert all(site.status == "mended" for site in reads), report


CAPTURES = {
    "mask": (
        """
        def f(x):
            y = x.softmax(1) @ x.T
            return y[y > 3] + 1
        make = lambda: f
        """,
        [(X,), (X * 2,), (X * 0,)],
    ),
    "scalar": (
        "make = lambda: (lambda x: x * x.sum().item() + float(x.max()))",
        [(X,), (X * 2,)],
    ),
    "written input": (
        """
        def f(x, n):
            n.add_(1)
            return x[: n.sum().item()]
        make = lambda: f
        """,
        [(X, T([1])), (X, T([2])), (X, T([3]))],
    ),
    "written under another name": (
        """
        def f(x, n):
            n.data.add_(1)
            return x[: n.sum().item()]
        make = lambda: f
        """,
        [(X, T([1])), (X, T([2])), (X, T([3]))],
    ),
    "an older value": (
        """
        def f(x, n):
            k = n * 1
            old = k + 0
            k += 1
            last = k.max().item()
            first = old.max().item()
            return x[first:last] * 1
        make = lambda: f
        """,
        [(X, T([1])), (X, T([2])), (X, T([3]))],
    ),
    "random": (
        """
        def f(x, n):
            return x[: torch.randint(0, 4, (2,)).add(n).max().item()]
        make = lambda: f
        """,
        [(X, T(0)), (X, T(1)), (X, T(0))],
    ),
}


@pytest.mark.parametrize("name", CAPTURES)
def test_kept_in_the_graph(tmp_path, name):
    text, inputs = CAPTURES[name]
    report = check(tmp_path, text, inputs, backends=BOTH, mended=False)
    reads = [site for site in report.sites if site.kind == "host-read"]
    assert any(site.mend == "capture" for site in reads), report


def test_exceptions_are_the_originals(tmp_path):
    text = """
    def f(x, n):
        first = x * 2
        parts = (x + 1).split(n.tolist())
        if parts[0].shape[0] == 3:
            raise ValueError(f"three of {n.tolist()}")
        return first[0] + parts[0][0]
    make = lambda: f
    """
    inputs = [(X, T(n)) for n in ([2, 2], [1, 3], [9, 9], [3, 1], [-1, 5], [2, 2])]
    check(tmp_path, text, inputs, backends=BOTH, fullgraph=False, mended=False)


def test_a_value_that_the_graph_refuses(tmp_path):
    text = """
    def f(x):
        m = x > 3
        y = x[m]
        return y.view(2, -1) * 2
    make = lambda: f
    """
    inputs = [(X,), (X[:1],), (X[:2],), (X * 0,)]
    check(tmp_path, text, inputs, fullgraph=False, mended=False)


def test_training(tmp_path):
    text = """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a = torch.nn.Linear(6, 6)
        def forward(self, x, m, n):
            rows = torch.nonzero(m)[:, 0]
            y = self.a(x)[rows] + self.a(x)[m]
            return y[: n.max().item()] * 2
    make = Net
    """
    masks = ([True, False, False, True], [True] * 4, [False, True, True, True])
    inputs = [(X, T(m), T([n, 0])) for n, m in enumerate(masks, 1)]
    check(tmp_path, text, inputs, backends=BOTH, train=True, mended=False)


def test_few_compiles_for_many_values():
    def slices(x, n):
        first, second = n.tolist()
        return torch.cat([x[:first], x[second:]]) * 2

    inputs = [(torch.ones(64, 2), T([n, 40 - n])) for n in range(2, 22, 2)]
    backend, _ = compiles(slices, inputs)
    assert len(backend.graphs) <= 3


def test_a_buffer_that_changes_is_read_again():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", T([1, 2]))

        def forward(self, x):
            return x[: self.n.max().item()]

    net = Net()
    compiled = graphmend.compile(net, backend=Counting())
    for n in (2, 3, 1):
        net.n.data[1] = n
        assert torch.equal(compiled(X), net(X))
    net.n = T([4, 0])
    assert torch.equal(compiled(X), net(X))


def test_aliases_of_a_written_input_are_noticed():
    def f(x, k, n):
        k.add_(1)
        return x[: n.max().item()] * 1

    backend = Counting()
    compiled = graphmend.compile(f, backend=backend)
    assert torch.equal(compiled(X, T([1, 1]), T([2, 1])), X[:2])
    shared = T([2, 1])
    assert torch.equal(compiled(X, shared, shared), X[:3])
    base = T([2, 1, 1])
    assert torch.equal(compiled(X, base[:2], base[1:]), X[:2])


def test_views_of_a_written_input_are_noticed():
    def f(x, k, n):
        part = n[0:1] * 1 if k.dim() > 1 else n[0:1]
        first = x[: n.max().item()]
        part.sum().item()
        k.add_(1)
        return first.sum() + x[: part.sum().item()].sum()

    compiled = graphmend.compile(f, backend=Counting())
    for shared in (False, True, False, True):
        mine, theirs = T([2, 1]), T([2, 1])
        left = f(X, mine if shared else T([1, 1]), mine)
        assert torch.equal(compiled(X, theirs if shared else T([1, 1]), theirs), left)


def test_counters_of_each_layer(tmp_path):
    text = """
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("at", torch.zeros(2, dtype=torch.int32))
            self.register_buffer("cache", torch.zeros(4, 6))
        def forward(self, x):
            at = self.at[0]
            self.cache[at : at + x.shape[0]] = x
            self.at += x.shape[0]
            return x + self.cache.sum() + int(at)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(Layer() for _ in range(3))
        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x
    make = Net
    """
    check(tmp_path, text, [(X[:2],), (X[:1],), (X[:1],)], mended=False)


def test_flags_are_ours_alone():
    from torch._dynamo import config

    def f(x):
        return x * x.sum().item()

    backend = Counting()
    graphmend.compile(f, backend=backend)(X)
    assert len(backend.graphs) == 1
    assert not config.capture_scalar_outputs
    torch._dynamo.reset()
    plain = Counting()
    torch.compile(f, backend=plain)(X)
    assert len(plain.graphs) != 1 or "item" not in plain.graphs[0].code


def test_threads_have_their_own_values():
    def f(x, n):
        return x[: n.max().item()] * 1

    compiled = graphmend.compile(f, backend="eager", dynamic=True)
    compiled(X, T([2, 0])), compiled(X, T([3, 0]))
    wrong = []

    def work(n):
        sizes = [compiled(X, T([n, 0])).shape[0] for _ in range(200)]
        wrong.extend(size for size in sizes if size != n)

    threads = [threading.Thread(target=work, args=(n,)) for n in (2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_heavy_work_is_not_done_twice():
    def f(x):
        return x[: (x @ x.T).argmax().item()] * 1

    _, compiled = compiles(f, [(X,), (X.flip(0),)])
    reads = [site for site in graphmend.report(compiled).sites if site.kind == "host-read"]
    assert [site.mend for site in reads] == ["capture"]
    assert "too much work" in reads[0].reason


def test_what_breaks_is_said(tmp_path):
    text = """
    def f(x):
        y = torch.nn.functional.softmax(x, 0) @ x.T
        if y.sum().item() > 3:
            return {"big": x}
        return {"small": x, "sum": y}
    make = lambda: f
    """
    seen = []

    def wrap(target):
        seen.append(graphmend.compile(target, backend="eager"))
        return seen[0]

    plain = run(tmp_path, text, [(X,), (X * 0,)], lambda target: target)[0]
    assert run(tmp_path, text, [(X,), (X * 0,)], wrap)[0] == plain
    assert [s for s in graphmend.report(seen[0]).sites if s.kind == "host-read"]


def test_functions_met_while_tracing_take_sequences_of_tensors(tmp_path):
    text = """
    import dataclasses
    def check(parts):
        return len(parts) == 2
    @dataclasses.dataclass
    class Out:
        parts: tuple
        def __post_init__(self):
            self.two = check(self.parts)
    def f(x, n):
        out = Out((x, x[: n.max().item()]))
        return out.parts[1] * 2 if out.two else x
    make = lambda: f
    """
    check(tmp_path, text, [(X, T([1, 2])), (X, T([3, 2]))], backends=BOTH, mended=False)


def test_reading_one_number_of_several_raises_as_before(tmp_path):
    text = """
    def f(x):
        try:
            value = x.item()
        except (RuntimeError, ValueError):
            value = -1
        return x * value
    make = lambda: f
    """
    check(tmp_path, text, [(X,), (X[:1],)], backends=BOTH, fullgraph=False, mended=False)
