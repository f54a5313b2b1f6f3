"""Mended code under debuggers and tools: it is the original that they show."""

from __future__ import annotations

import json
import subprocess
import sys
import timeit

import graphmend
import pytest
import torch
from graphmend import profiles

from tests.use.programs import LIBRARY, environment, python, said, write

PROGRAM = """\
import inspect

import graphmend
import torch
from library import Model, backend, scale

model = Model()
compiled = graphmend.compile(model, backend=backend)
x = torch.ones(1, 2)
compiled(x)
print("source", inspect.getsource(scale) == open("library.py").read()[%d:%d])
print("lines", inspect.getsourcelines(Model.forward)[1])
print("eager", model(x).shape)
"""


def program(folder, text=None):
    start = LIBRARY.index("def scale")
    end = LIBRARY.index("\n\n\nclass Model") + 1
    write(folder, library=LIBRARY)
    (folder / "program.py").write_text(text or PROGRAM % (start, end))


def test_getsource_shows_the_original(tmp_path):
    program(tmp_path)
    lines = said(python("program.py", cwd=tmp_path))
    assert lines["source"] == "True"
    first = LIBRARY[: LIBRARY.index("    def forward")].count("\n") + 1
    assert lines["lines"] == str(first)


def test_breakpoints_of_pdb(tmp_path):
    """A breakpoint in a mended function stops there, with the values of that line."""
    program(tmp_path)
    line = LIBRARY[: LIBRARY.index("        x = x + 1")].count("\n") + 1
    commands = (
        "import library\n"
        "tbreak program.py:13\n"
        "continue\n"
        f"break library.py:{line}\n"
        "continue\n"
        "where\n"
        "p 'value', tuple(x.shape)\n"
        "next\n"
        "next\n"
        "clear 2\n"
        "continue\n"
        "quit\n"
    )
    text = (
        "import graphmend, torch, library\n"
        "torch.manual_seed(0)\n"
        "model = library.Model()\n"
        "model.linear.weight.data.fill_(1)\n"
        "model.linear.bias.data.fill_(1)\n"
        "x = torch.ones(1, 2)\n"
        "wanted = model(x)\n"
        "compiled = graphmend.compile(model, backend=library.backend)\n"
        "compiled(x)\n"
        "code = library.scale.__code__\n"
        "\n"
        "\n"
        "assert library.scale(x).shape == x.shape\n"
        "print('done', torch.equal(model(x), wanted))\n"
    )
    program(tmp_path, text)
    result = subprocess.run(
        [sys.executable, "-m", "pdb", "program.py"],
        input=commands,
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert f"library.py({line})scale()" in result.stdout, result.stdout + result.stderr
    assert "-> x = x + 1" in result.stdout
    assert "('value', (1, 2))" in result.stdout
    assert "-> return x * 2" in result.stdout
    assert "done True" in result.stdout


def test_coverage(tmp_path):
    """The lines that eager calls run are the lines that coverage counts, mended or not."""
    text = (
        "import sys, torch, library\n"
        "if sys.argv[1:]:\n"
        "    import graphmend\n"
        "    graphmend.mending = __import__('graphmend.mending').mending\n"
        "    graphmend.mending.mend(library.Model())\n"
        "assert ('__graphmend__' in vars(library)) == bool(sys.argv[1:])\n"
        "library.scale(torch.ones(2))\n"
        "library.scale(-torch.ones(2))\n"
        "library.Model()(torch.ones(1, 2))\n"
    )
    program(tmp_path, text)
    counted = []
    for number, arguments in enumerate(([], ["mended"])):
        data = tmp_path / f"data{number}"
        common = ("-m", "coverage")
        ran = python(
            *common, "run", f"--data-file={data}", "--include=library.py", "program.py",
            *arguments, cwd=tmp_path,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stderr
        out = tmp_path / f"out{number}.json"
        told = python(*common, "json", f"--data-file={data}", "-o", str(out), cwd=tmp_path)
        assert told.returncode == 0, told.stdout + told.stderr
        file = json.loads(out.read_text())["files"]["library.py"]
        counted.append((file["executed_lines"], file["missing_lines"]))
    assert counted[0] == counted[1]


def test_show(tmp_path):
    write(tmp_path, library=LIBRARY)
    result = python("-m", "graphmend.cli", "show", "library.scale", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "+    if __graphmend__.active():" in result.stdout
    assert "line 16: tensor-branch: select" in result.stdout
    by_class = python("-m", "graphmend.cli", "show", "library.Model", cwd=tmp_path)
    assert "print-call: effect" in by_class.stdout
    by_file = python("-m", "graphmend.cli", "show", "library.py:scale", cwd=tmp_path)
    assert "+    if __graphmend__.active():" in by_file.stdout
    for name in ("library.missing", "no_such_module.x", "library.py:missing", "library.torch"):
        missing = python("-m", "graphmend.cli", "show", name, cwd=tmp_path)
        assert missing.returncode == 1, name
        assert missing.stderr.startswith("graphmend show: ")


def test_traceback_shows_the_original(tmp_path):
    program(
        tmp_path,
        "import graphmend, torch\n"
        "def step(x):\n"
        "    if x.sum() > 5:\n"
        "        raise ValueError('large')\n"
        "    return x\n"
        "compiled = graphmend.compile(step, backend='eager')\n"
        "compiled(torch.ones(2))\n"
        "compiled(torch.ones(20))\n",
    )
    result = python("program.py", cwd=tmp_path)
    assert result.returncode == 1
    assert 'program.py", line 4, in step' in result.stderr
    assert "raise ValueError('large')" in result.stderr
    assert "__graphmend__" not in result.stderr


PROFILED = """\
import sys
import graphmend, torch, library


def guarded(x):
    if x.sum() > 500:
        raise ValueError('large')
    return library.scale(x)


def branching(x):
    if x.sum() > 0:
        x = (x @ x.t()).relu() @ x
    else:
        x = x.sin()
    return x + 1


def reading(x, n):
    for _ in range((n * 2).item()):
        x = x + 1
    return x


def arms(x):
    if x.sum() > 0:
        x = x @ x.t() @ x
        if x.sum() > 1:
            x = x + 1
    else:
        x = x.cos()
    return x * 2


x = torch.ones(1, 2)
calls = [(library.Model(), (x,)), (guarded, (x,)), (branching, (x,)), (arms, (x,)),
         (reading, (x, torch.tensor(1)))]
how = {"backend": sys.argv[1], "fullgraph": True}
compiled = [(graphmend.compile(f, **how), given) for f, given in calls]
with torch.no_grad():
    for call, given in compiled * 2:
        call(*given)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
        for call, given in compiled:
            call(*given)
print("profiled")
for event in seen.key_averages():
    if event.key.startswith("graphmend "):
        print("event", event.count, event.key)
"""


@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_the_profiler_names_mended_sites(tmp_path, backend):
    program(tmp_path, PROFILED)
    result = python("program.py", backend, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    shown = result.stdout.partition("profiled\n")[2].splitlines()
    events = sorted(line for line in shown if line.startswith("event "))
    here = f"{tmp_path}/program.py"

    def line(text):
        return PROFILED[: PROFILED.index(text)].count("\n") + 1

    assert events == sorted(
        [
            f"event 1 graphmend print-call {tmp_path}/library.py:28",
            f"event 2 graphmend tensor-branch {tmp_path}/library.py:16",
            f"event 1 graphmend tensor-branch {here}:{line('sum() > 500')}",
            f"event 1 graphmend tensor-branch {here}:{line('(x @ x.t()).relu()') - 1}",
            f"event 1 graphmend tensor-branch {here}:{line('x @ x.t() @ x') - 1}",
            f"event 1 graphmend tensor-branch {here}:{line('sum() > 1:')}",
            f"event 1 graphmend host-read {here}:{line('n * 2')}",
        ]
    )


def test_names_for_the_profiler_cost_nothing_without_one():
    """Nothing of them reaches the backend; a graph with one calls one function more."""

    def branching(x):
        if x.sum() > 0:
            x = x + 1
        return x * 2

    seen = []

    def backend(graph, inputs):
        seen.extend(node.meta.copy() for node in graph.graph.nodes)
        return graph.forward

    torch._dynamo.reset()
    graphmend.compile(branching, backend=backend, fullgraph=True)(torch.ones(2))
    assert len(seen) > 4
    assert not [key for meta in seen for key in meta if "graphmend" in key]
    run = profiles.spanned(lambda: None, ["name"])
    assert min(timeit.repeat(run, number=1000, repeat=5)) < 0.005, "less than 5 microseconds"


LOGGING = """\
import logging
logging.basicConfig(level=logging.DEBUG, format="root %(name)s")
logging.getLogger("torch").setLevel(logging.ERROR)
import graphmend, sys, torch, library


def work(x):
    x = library.scale(x)
    return x * (sys.getsizeof(x) > 0)


graphmend.compile(work, backend="eager", verify="first")(torch.ones(2))
"""


def test_logs_are_quiet_by_default_and_speak_when_they_are_asked(tmp_path):
    program(tmp_path, LOGGING)
    cache = {"GRAPHMEND_CACHE": str(tmp_path / "kept")}

    def told(**variables):
        result = python("program.py", cwd=tmp_path, **cache, **variables)
        assert result.returncode == 0, result.stderr
        assert "root graphmend" not in result.stderr
        return result.stderr

    assert "[graphmend" not in told()
    site = f"[graphmend.mends] {tmp_path}/library.py:16: tensor-branch in scale: select"
    mends = told(GRAPHMEND_LOGS="mends")
    assert site in mends
    assert "__graphmend__.active()" not in mends
    assert "[graphmend.traces]" not in mends
    every = told(GRAPHMEND_LOGS="+all")
    assert site in every
    assert "if __graphmend__.active():" in every
    assert f"[graphmend.traces] {tmp_path}/program.py:9 in work: breaks: " in every
    assert "[graphmend.verify] call 1 was verified: it agrees" in every
    assert "[graphmend.cache] " in every
    assert ": found\n" in every
    wrong = python("-c", "import graphmend.logs", cwd=tmp_path, GRAPHMEND_LOGS="mend").stderr
    assert wrong == (
        "graphmend: GRAPHMEND_LOGS: no 'mend'; there are mends, traces, cache, verify, all\n"
    )


def test_a_call_that_computes_nothing_is_told(tmp_path):
    program(
        tmp_path,
        "import graphmend, torch\n"
        "def work(x, more=()):\n"
        "    for item in more:\n"
        "        if item.sum() > 0:\n"
        "            x = x + item\n"
        "    return x\n"
        "compiled = graphmend.compile(work, backend='eager')\n"
        "compiled(torch.ones(2))\n"
        "print(graphmend.report(compiled))\n",
    )
    result = python("program.py", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "NOTHING WAS COMPILED HERE: Dynamo found nothing to compute in a call of work" in (
        result.stdout
    )
