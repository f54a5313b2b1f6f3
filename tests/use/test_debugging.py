"""Mended code under debuggers and tools: it is the original that they show."""

from __future__ import annotations

import json
import subprocess
import sys

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


def test_the_profiler_names_mended_sites(tmp_path):
    program(
        tmp_path,
        "import graphmend, torch, library\n"
        "def step(x):\n"
        "    if x.sum() > 500:\n"
        "        raise ValueError('large')\n"
        "    return library.scale(x)\n"
        "model = library.Model()\n"
        "compiled = graphmend.compile(model, backend='eager')\n"
        "guarded = graphmend.compile(step, backend='eager')\n"
        "x = torch.ones(1, 2)\n"
        "compiled(x), guarded(x)\n"
        "with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:\n"
        "    compiled(x), guarded(x)\n"
        "for event in seen.key_averages():\n"
        "    if event.key.startswith('graphmend '):\n"
        "        print('event', event.key)\n",
    )
    result = python("program.py", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    events = sorted(line for line in result.stdout.splitlines() if line.startswith("event "))
    assert events == [
        f"event graphmend print-call {tmp_path}/library.py:28",
        f"event graphmend tensor-branch {tmp_path}/program.py:3",
    ]
