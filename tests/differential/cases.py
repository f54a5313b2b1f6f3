"""Count what is whole of a folder of cases: ``python -m tests.differential.cases FOLDER...``.

A case is a Python file with ``make()``, which returns a callable and a list of argument tuples;
what stands between the two in a longer answer is not used. ``make.grad = True`` asks for training.
Each case runs in a process of its own, by itself and under :func:`graphmend.compile`:

``whole``       one graph and one call of the backend for each call, nothing differs
``left``        identical, but with graph breaks or skipped frames; the reasons are told
``different``   something that can be seen of it differs
``unusable``    it fails by itself, is not deterministic, ends its process, or takes too long
"""

from __future__ import annotations

import argparse
import functools
import itertools
import multiprocessing
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import graphmend
import torch

from tests.differential import harness

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection

_DYNAMO = {"TorchDynamoException", "GuardOnDataDependentSymNode"}
VERDICTS = ("whole", "left", "different", "unusable")


@dataclass(frozen=True)
class Case(harness.Program):
    """A case file, in the form that the harness runs."""

    def load(self) -> ModuleType:
        """The file, imported anew, its ``make`` giving two values."""
        module = super().load()
        make: Callable[[], tuple[Any, ...]] = module.make

        def two() -> tuple[Any, Any]:
            made = make()
            return made[0], made[-1]

        vars(two).update(vars(make))
        module.make = two  # type: ignore[attr-defined]
        return module


def judge(case: Case, backend: str) -> tuple[str, str]:
    """The verdict on a case, and what to know about it."""
    sys.path.insert(0, str(case.path.parent))
    training = bool(getattr(case.load().make, "grad", False))
    wanted = harness.run(case, lambda target: target, training)
    again = harness.run(case, lambda target: target, training)
    unstable = harness.differences(wanted, again)
    if unstable:
        return "unusable", f"two runs by itself differ: {unstable[0]}"
    strict = _compiled(case, backend, training, wanted, fullgraph=True)
    if strict.differences and not strict.broken:
        return "different", strict.differences[0]
    if not strict.differences:
        if all(count == 1 for count in strict.calls):
            return "whole", ""
        return "left", f"calls of the backend in each call: {strict.calls}"
    loose = _compiled(case, backend, training, wanted, fullgraph=False)
    if loose.differences:
        return "different", loose.differences[0]
    return "left", loose.reason or strict.reason


@dataclass(frozen=True)
class _Run:
    """A case, mended and compiled."""

    calls: list[int]
    """Of the backend, in each call."""
    differences: list[str]
    broken: bool
    """Whether Dynamo raised something."""
    reason: str
    """Why the first site was left."""


def _compiled(
    case: Case, backend: str, training: bool, wanted: list[harness.Step], fullgraph: bool
) -> _Run:
    torch._dynamo.reset()
    counting = harness.Counting(backend)
    counts = [0]
    compiled: list[Any] = []

    def wrap(target: Any) -> Any:
        compiled.append(graphmend.compile(target, backend=counting, fullgraph=fullgraph))
        return compiled[0]

    steps = harness.run(case, wrap, training, lambda: counts.append(counting.calls))
    report = graphmend.report(compiled[0])
    differences = harness.differences(wanted, steps)
    broken = any(_DYNAMO.intersection(step.exception[0]) for step in steps if step.exception)
    if differences and not broken and backend != "eager":
        torch._dynamo.reset()
        plain = harness.run(case, functools.partial(torch.compile, backend=backend), training)
        differences = harness.differences(plain, steps)
    left = [item.reason for item in [*report.sites, *report.untouched] if item.reason]
    calls = [after - before for before, after in itertools.pairwise(counts)]
    return _Run(calls, differences, broken, left[0] if left else "")


def _serve(case: Case, backend: str, answer: Connection) -> None:
    try:
        answer.send(judge(case, backend))
    except Exception as problem:
        text = str(problem).strip().splitlines() or [""]
        answer.send(("unusable", f"{type(problem).__name__}: {text[0]}"))


def judge_apart(case: Case, backend: str, seconds: float) -> tuple[str, str]:
    """The same, in a process of its own."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_serve, args=(case, backend, there))
    child.start()
    there.close()
    try:
        if not here.poll(seconds):
            return "unusable", f"it takes more than {seconds:g} s"
        verdict: tuple[str, str] = here.recv()
    except EOFError:
        return "unusable", "its process ended"
    finally:
        child.kill()
        child.join()
    return verdict


def main(arguments: list[str] | None = None) -> int:
    """Judge every case, print a line for each and the counts; 1 if any is different or unusable."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.cases")
    parser.add_argument("paths", nargs="+", type=Path, metavar="FOLDER", help="or a case file")
    parser.add_argument("--backend", default="eager", choices=("eager", "aot_eager"))
    parser.add_argument("--timeout", type=float, default=120, metavar="SECONDS")
    options = parser.parse_args(arguments)
    torch.compile(torch.neg, backend=options.backend)(torch.ones(1))  # all is imported once
    counts: Counter[str] = Counter()
    for path in options.paths:
        files = sorted(path.glob("*.py")) if path.is_dir() else [path]
        for file in files:
            if "\ndef make(" not in file.read_text(encoding="utf-8"):
                continue
            verdict, note = judge_apart(Case(file.resolve()), options.backend, options.timeout)
            counts[verdict] += 1
            print(f"{file.parent.name}/{file.stem}: {verdict}" + (f": {note}" if note else ""))
            sys.stdout.flush()
    print(", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS))
    return 1 if counts["different"] or counts["unusable"] else 0


if __name__ == "__main__":
    sys.exit(main())
