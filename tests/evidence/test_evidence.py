"""What traces show: mended before the first trace or the next one, told in the report, listed."""

from __future__ import annotations

import copy
import importlib.util
import itertools
import json
import pickle
import re
import sys
import textwrap

import graphmend
import pytest
import torch
from graphmend import reach, swap
from graphmend.dynamo import evidence

_numbers = itertools.count()
HEAD = "import logging, sys, types\nimport torch\n"


@pytest.fixture(autouse=True)
def _clean():
    torch._dynamo.reset()
    yield
    swap.restore()
    torch._dynamo.reset()


@pytest.fixture
def program(tmp_path):
    def load(text):
        path = tmp_path / "evident.py"
        path.write_text(HEAD + textwrap.dedent(text).lstrip("\n"))
        name = f"evident_{next(_numbers)}"
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load


class Counting:
    def __init__(self):
        self.graphs = 0
        self.calls = 0

    def __call__(self, graph, inputs):
        self.graphs += 1

        def run(*arguments):
            self.calls += 1
            return graph.forward(*arguments)

        return run


ROOT = """
    def work(x):
        x = x * 1
        if x.sum() > 0:
            x = x + 1
        return x * 2

    BOX = [[[[[work]]]]]

    class Model(torch.nn.Module):
        def forward(self, x):
            for _ in range(1):
                sys.getrefcount(x)  # a break in a loop: Python runs this frame
                x = BOX[0][0][0][0][0](x)
            return x
"""


def test_a_frame_of_its_own_is_mended_for_the_next_call(program):
    module = program(ROOT)
    model, rows = module.Model(), [torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -2.0])]
    wanted = [model(row).tolist() for row in rows]
    backend = Counting()
    assert module.work not in reach.reached(model)
    compiled = graphmend.compile(model, backend=backend)
    got = [compiled(row).tolist() for row in rows]
    assert got == wanted
    assert [compiled(row).tolist() for row in rows] == wanted
    backend.calls = backend.graphs = 0
    compiled(rows[0])
    assert (backend.graphs, backend.calls) == (0, 1), "work is one graph"
    report = graphmend.report(compiled)
    assert report.extra_traces == 1
    assert report.found >= 1
    assert [site["kind"] for site in json.loads(report.to_json())["sites"]] == ["tensor-branch"]


def test_what_is_left_is_compiled_as_before_and_told(program):
    module = program(
        """
        class Model(torch.nn.Module):
            def forward(self, x):
                x = x + 1
                values = sys.getrefcount(x)
                return x * 2 + (values > 0)
        """
    )
    model, x = module.Model(), torch.tensor([1.0, 2.0])
    backend, plain = Counting(), Counting()
    compiled = graphmend.compile(model, backend=backend)
    assert torch.equal(compiled(x), model(x))
    torch.compile(module.Model(), backend=plain)(x)
    assert backend.graphs == plain.graphs == 2
    report = graphmend.report(compiled)
    assert len(report.breaks) == 1
    found = report.breaks[0]
    assert (found["path"], found["line"]) == (module.__file__, 6)
    assert found["code"] == "values = sys.getrefcount(x)"
    assert found["reason"]
    text = str(report)
    assert f"{module.__file__}:6 in forward" in text
    assert "what to do:" in text


def test_a_frame_that_is_given_up_is_told(program):
    module = program(
        """
        def forward(x):
            for _ in range(2):
                x = x + sys.getrefcount(x) * 0
            return x
        """
    )
    compiled = graphmend.compile(module.forward, backend="eager")
    compiled(torch.ones(2))
    report = graphmend.report(compiled)
    assert [item["line"] for item in report.breaks] == [5]
    assert report.breaks[0]["skipped"]


def test_fullgraph_lists_what_is_left(program):
    module = program(
        """
        def forward(x, names=[]):
            if x.sum() > 0:
                names.append(1)
                return x.tolist()
            return x
        """
    )
    compiled = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported) as caught:
        compiled(torch.ones(2))
    problem = caught.value
    assert isinstance(problem, evidence.StillBroken)
    assert isinstance(problem.__cause__, torch._dynamo.exc.Unsupported)
    assert problem.gb_type == problem.__cause__.gb_type
    text = str(problem)
    assert f"{module.__file__}:6 in forward: return x.tolist()" in text
    assert re.search(r"not mended: \S+", text)
    assert "what to do:" in text


def test_fullgraph_lists_several(program):
    module = program(
        """
        def second(x):
            assert isinstance(x, torch.Tensor)
            print("before", file=open("/dev/null", "w"))
            return x

        def forward(x):
            x = x + sys.getrefcount(x) * 0
            x = x * 1
            print("seen", file=open("/dev/null", "w"))
            return second(x)
        """
    )
    compiled = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported) as caught:
        compiled(torch.ones(2))
    text = str(caught.value)
    assert f"{module.__file__}:9 in forward" in text
    declined = [s for s in graphmend.report(compiled).sites if s.status == "declined"]
    assert declined
    for site in declined:
        assert f"{site.path}:{site.line} in {site.function}" in text


def test_errors_of_others_are_not_touched(program):
    module = program(
        """
        def forward(x):
            return x.view(7)
        """
    )
    compiled = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    with pytest.raises(Exception) as caught:  # noqa: PT011 - compared below
        compiled(torch.ones(2))
    with pytest.raises(type(caught.value)) as plain:
        torch.compile(module.forward, backend="eager", fullgraph=True)(torch.ones(2))
    assert str(caught.value) == str(plain.value)


def test_nothing_happens_to_plain_torch(program):
    module = program(ROOT)
    torch.compile(module.Model(), backend="eager")(torch.ones(2))
    graphmend.compile(torch.nn.Linear(2, 2), backend="eager")(torch.ones(2))
    before = module.work.__code__
    torch._dynamo.reset()
    torch.compile(module.Model(), backend="eager")(torch.ones(2))
    assert module.work.__code__ is before


def test_copies_and_pickles_with_evidence(program):
    module = program(
        """
        class Model(torch.nn.Module):
            def forward(self, x):
                return getattr(self, "wo" + "rk")(x)

            def work(self, x):
                print("seen", x.shape)
                return x + 1
        """
    )
    compiled = graphmend.compile(module.Model(), backend="eager", fullgraph=True)
    x = torch.ones(2)
    wanted = compiled(x)
    assert graphmend.report(compiled).found == 1
    assert torch.equal(copy.deepcopy(compiled)(x), wanted)
    assert torch.equal(pickle.loads(pickle.dumps(compiled))(x), wanted)


def test_disabled_stays_disabled_for_what_a_trace_finds(program):
    module = program(
        """
        def work(x):
            print("seen")
            return x + 1

        BOX = [[[[[work]]]]]

        def forward(x):
            return BOX[0][0][0][0][0](x)
        """
    )
    before = module.work.__code__
    compiled = graphmend.compile(module.forward, backend="eager")
    with graphmend.disabled():
        compiled(torch.ones(2))
        assert module.work.__code__ is before
        assert swap.NAME not in vars(module)
    compiled(torch.ones(3))
    assert module.work.__code__ is not before
    with graphmend.disabled():
        assert module.work.__code__ is before


def test_functions_of_a_factory_are_restored(program):
    module = program(
        """
        def build():
            def inner(x):
                print("seen")
                return x + 1
            return inner
        """
    )
    first = module.build()
    original = first.__code__
    compiled = graphmend.compile(first, backend="eager", fullgraph=True)
    compiled(torch.ones(2))
    later = module.build()
    assert later.__code__ is not original
    with graphmend.disabled():
        assert first.__code__ is original
        assert later.__code__ is original
    assert later.__code__ is not original


BROKEN = """
    def deep(x):
        size = sys.getrefcount(x)
        return x * size + 1

    def forward(x):
        x = x + 1
        count = sys.getrefcount(x)
        x = x * count
        other = torch.zeros(2) + 1
        for item in range(count):
            id(sys.getswitchinterval())
        flag = sys.getrefcount(other) > 7
        if flag:
            sys.getsizeof(other)
        else:
            sys.getallocatedblocks()
        with torch.no_grad():
            name = sys.getdefaultencoding()
        return deep(other), name, {"x": x}
"""


def test_fullgraph_lists_what_comes_after_the_first_break(program):
    module = program(BROKEN)
    lines = module.__loader__.get_source(module.__name__).splitlines()
    wanted = [
        number for number, line in enumerate(lines, 1) if "sys." in line and "import" not in line
    ]
    compiled = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported) as caught:
        compiled(torch.ones(2))
    text = str(caught.value)
    found = [int(line) for line in re.findall(r"evident\.py:(\d+) in", text)]
    assert found[0] == 9, "Dynamo's first"
    assert sorted(found) == wanted
    assert text.count("what to do:") == len(wanted)
    # nothing is kept of that trace
    assert len(graphmend.report(compiled).breaks) == 1
    again = graphmend.compile(module.forward, backend="eager")
    assert again(torch.ones(2))[1] == "utf-8"


@pytest.mark.parametrize("deep", [False, True])
def test_effects_of_functions_that_a_call_makes_are_not_repeated(program, capsys, deep):
    """A guard fires after them: the original runs again, without what was seen already."""
    module = program(
        """
        def forward(x):
            def work(x):
                x = x * 1
                print("first", tuple(x.shape))
                if x.sum() > 10:
                    raise ValueError("large")
                print("second", tuple(x.shape))
                return x + 1
            return work(x)
        """
        if not deep
        else """
        def forward(x):
            def outer(x):
                print("outer", tuple(x.shape))
                def work(x):
                    x = x * 1
                    print("first", tuple(x.shape))
                    if x.sum() > 10:
                        raise ValueError("large")
                    print("second", tuple(x.shape))
                    return x + 1
                return work(x)
            return outer(x)
        """
    )
    before = module.forward.__code__
    compiled = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    seen = []
    for function in (module.forward, compiled, compiled):
        for row in (torch.ones(2), torch.ones(20), torch.ones(3)):
            try:
                print(function(row).tolist())
            except ValueError as problem:
                print(problem)
        seen.append(capsys.readouterr().out)
    assert seen[1] == seen[0]
    assert seen[2] == seen[0]
    assert "large" in seen[0]
    graphmend.uninstall()
    assert module.forward.__code__ is before
