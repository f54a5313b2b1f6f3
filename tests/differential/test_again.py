"""Functions that were compiled, mended or made before, and are again."""

from __future__ import annotations

import importlib.util
import sys

import graphmend
import pytest
import torch

TEXT = '''\
import torch

LOG = []


def helper(x):
    if x.sum() > 0:
        x = x + 1
    return x * 2


def build(limit):
    """Makes a function."""

    def inner(x):
        if x.sum() > limit:
            x = x + limit
        return x * 2

    return inner


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        if x.sum() < -50:
            raise ValueError("small")
        return helper(self.linear(x))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer()

    def forward(self, x):
        print("model", x.shape)
        return self.layer(x) + 1

    @staticmethod
    def make():
        def deep(x):
            assert x.sum() < 50, "large"
            return x

        return deep
'''
ROWS = [torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -9.0])]


@pytest.fixture
def module(tmp_path):
    torch._dynamo.reset()
    path = tmp_path / "again.py"
    path.write_text(TEXT)
    spec = importlib.util.spec_from_file_location("differential_again", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["differential_again"] = made
    spec.loader.exec_module(made)
    torch.manual_seed(0)
    yield made
    torch._dynamo.reset()


def results(function):
    return [function(row.clone()).tolist() for row in ROWS]


def whole(function):
    return graphmend.compile(function, backend="eager", fullgraph=True)


def test_mended_after_torch_compiled_it(module):
    model = module.Model()
    wanted = results(model)
    assert results(torch.compile(model, backend="eager")) == wanted
    assert results(whole(model)) == wanted
    assert results(whole(module.Model().eval())) is not None


def test_caller_compiled_before_sees_what_is_mended(module):
    """The caller's compiled entries hold the old code of the function that it calls."""
    calls = []

    def backend(graph, inputs):
        def run(*arguments):
            calls.append(1)
            return graph(*arguments)

        return run

    model = module.Model()
    wanted = results(model)
    first = graphmend.compile(model, backend=backend)
    assert results(first) == wanted
    torch.compile(model.layer, backend="eager")(ROWS[0])
    graphmend.compile(module.helper, backend="eager")(ROWS[0])
    calls.clear()
    assert results(first) == wanted
    assert len(calls) == len(ROWS)


def test_part_mended_before_the_whole(module):
    model = module.Model()
    wanted, inner = results(model), results(model.layer)
    part = whole(model.layer)
    assert results(part) == inner
    assert results(whole(model)) == wanted
    assert results(part) == inner
    assert results(model) == wanted


def test_instances_and_subclasses_made_later(module):
    whole(module.Model())

    class Child(module.Model):
        def forward(self, x):
            return super().forward(x) * 2

    child = Child()
    with graphmend.disabled():
        wanted = results(child)
    assert results(child) == wanted
    assert results(graphmend.compile(child, backend="eager", fullgraph=True)) == wanted


def test_factory_called_after_mending(module):
    first = module.build(1)
    wanted = results(first)
    assert results(whole(first)) == wanted
    second = module.build(2)
    with graphmend.disabled():
        expected = results(module.build(2))
    assert results(second) == expected
    assert results(whole(second)) == expected
    assert module.build.__doc__ == "Makes a function."


def test_factory_in_a_class(module):
    first, second = module.Model.make(), module.Model.make()
    wanted = results(first)
    assert results(whole(first)) == wanted
    third = module.Model.make()
    for function in (second, third):
        assert results(whole(function)) == wanted
        with pytest.raises(AssertionError, match="large"):
            whole(function)(ROWS[0] * 100)


def test_originals_are_back_exactly(module):
    functions = [module.helper, module.build, module.Model.forward, module.Layer.forward]
    before = [function.__code__ for function in functions]
    inner = module.build(1)
    whole(module.Model())
    whole(inner)
    assert [f.__code__ for f in functions] != before
    with graphmend.disabled():
        assert all(f.__code__ is code for f, code in zip(functions, before, strict=True))
        assert "__graphmend__" not in vars(module)


def test_signature_and_documentation_stay(module):
    import inspect

    def facts():
        return [
            (f.__name__, f.__qualname__, f.__doc__, f.__defaults__, str(inspect.signature(f)))
            for f in (module.helper, module.build, module.Model.forward, module.Model.make)
        ]

    before = facts()
    whole(module.Model())
    whole(module.build(1))
    assert facts() == before


def test_code_looks_like_the_original(module):
    before = module.helper.__code__
    whole(module.helper)
    after = module.helper.__code__
    assert after is not before
    for name in ("co_name", "co_qualname", "co_filename", "co_firstlineno", "co_flags"):
        assert getattr(after, name) == getattr(before, name), name
    assert {line for *_, line in after.co_lines() if line} <= {
        line for *_, line in before.co_lines() if line
    }


def test_recompiles_are_no_more_than_needed(module):
    graphs = []

    def backend(graph, inputs):
        graphs.append(graph)
        return graph

    model = module.Model()
    compiled = graphmend.compile(model, backend=backend, fullgraph=True)
    for length in (2, 2, 3, 4, 5, 6):
        for sign in (1, -1):
            compiled(torch.ones(length, 2) * sign)
    assert len(graphs) == 2, "one for the first length, one for any length"


def test_lines_of_a_profile_are_the_originals(module):
    """Every line that runs eagerly is the line that runs in the original."""

    def trace(function):
        seen = []

        def local(frame, event, argument):
            if event == "line":
                seen.append(frame.f_lineno)
            return local

        def tracer(frame, event, argument):
            return local if frame.f_code.co_filename == module.__file__ else None

        sys.settrace(tracer)
        try:
            for row in ROWS:
                function(row.clone())
        finally:
            sys.settrace(None)
        return seen

    before = trace(module.helper)
    whole(module.helper)
    after = trace(module.helper)
    head = module.helper.__code__.co_firstlineno
    assert [line for line in after if line != head] == before
