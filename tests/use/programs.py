"""Programs that users would write, for tests that start them as users would."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# What a library holds: a model with two breaks, and a backend that counts what it is asked to run.
LIBRARY = '''\
import torch

calls = []


def backend(graph, inputs):
    def run(*arguments):
        calls.append(1)
        return graph.forward(*arguments)

    return run


def scale(x):
    x = x * 1
    if x.sum() > 0:
        x = x + 1
    return x * 2


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)

    def forward(self, x):
        x = scale(self.linear(x))
        print("seen", tuple(x.shape))
        return x


def count(function, *arguments):
    """How often the backend is called in one call."""
    function(*arguments)
    calls.clear()
    function(*arguments)
    return len(calls)
'''

# Three ways to compile it; each prints how many calls of the backend one call makes.
PROGRAM = """\
import sys

import torch
from library import Model, backend, calls, count

x = torch.ones(1, 2)
compiled = torch.compile(Model(), backend=backend)
print("compile", count(compiled, x), type(compiled).__name__)

model = Model()
model.compile(backend=backend)
print("method", count(model, x), type(model).__name__)


@torch.compile(backend=backend)
def step(x):
    x = x * 1
    if x.sum() > 0:
        x = x - 1
    print("step")
    return x + 1


print("decorator", count(step, x), type(step).__name__)
print("arguments", sys.argv[1:], __name__)
"""


def environment(**changes: str) -> dict[str, str]:
    """The environment of a child process, with this checkout's package."""
    # pytest prints more where it sees that a CI server runs it.
    servers = {"CI", "BUILD_NUMBER", "GITHUB_ACTIONS"}
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GRAPHMEND") and name not in servers
    }
    path = os.pathsep.join([str(ROOT / "python"), *kept.get("PYTHONPATH", "").split(os.pathsep)])
    return {**kept, "PYTHONPATH": path, **changes}


def start(*command: str, cwd: Path, timeout: int = 300, **changes: str) -> Any:
    """Run a command to its end; its output is text."""
    return subprocess.run(
        command,
        cwd=cwd,
        env=environment(**changes),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def python(*arguments: str, cwd: Path, **changes: str) -> Any:
    """Run this interpreter."""
    return start(sys.executable, *arguments, cwd=cwd, **changes)


def write(folder: Path, **files: str) -> None:
    """Write files into a folder; a double underscore in a name stands for a folder."""
    for name, text in files.items():
        path = folder.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


def said(result: Any) -> dict[str, str]:
    """The lines that a program printed, by their first word."""
    assert result.returncode == 0, result.stderr
    lines = [line.partition(" ") for line in result.stdout.splitlines()]
    return {first: rest for first, _, rest in lines}
