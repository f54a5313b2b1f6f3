"""Measure one side of one row, in a process of its own.

    python -m bench.probe ROW --side eager|original|mended --out FILE [--hide WAY]

Sides: the original in eager mode, which is the reference; the original under ``torch.compile``; the
model under ``graphmend.compile``. Each makes the same calls (``STEPS``) on a fresh model; what
is known so far is written to FILE after each stage, so that a crash leaves the rest to read. With
``--hide`` the model's code is hidden from analysis of names (``bench.hiding``), on each side.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from bench import hiding
from bench.digest import digest
from bench.models import Row, row_named
from bench.records import listen
from bench.watch import Watch, watch

Facts = dict[str, Any]
Compiler = Callable[..., Callable[..., Any]]

SIDES = ("eager", "original", "mended")
# Uses torch.compile in place of graphmend.compile: what the table shows then is the bench alone.
STAND_IN = "GRAPHMEND_BENCH_STAND_IN"


@dataclass(frozen=True)
class Step:
    """One call: its inputs, whether every warning is shown or only the first of a place."""

    name: str
    variant: int
    other_length: bool = False
    all_warnings: bool = False
    stressed: bool = False


STEPS = (
    Step("first", variant=0),
    Step("second", variant=1),
    Step("third", variant=2, all_warnings=True),
    Step("other length", variant=0, other_length=True),
    Step("stressed", variant=0, stressed=True),
)


def steps_of(row: Row) -> tuple[Step, ...]:
    """The steps that a row makes: one that has nothing to stress leaves the last one out."""
    return tuple(step for step in STEPS if row.stress or not step.stressed)


def first_line(error: BaseException) -> str:
    """The class of an error and the first line that says something."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0].strip() if lines else ''}"


def compiler(side: str) -> Compiler:
    """``graphmend.compile`` or, for the original, ``torch.compile``."""
    if side == "mended" and not os.environ.get(STAND_IN):
        import graphmend

        mended: Compiler = graphmend.compile
        return mended
    return torch.compile


def state(model: torch.nn.Module) -> str:
    """Digest of every tensor that the model holds, buffers that are not saved included."""
    held = {
        f"{name}.{key}": value
        for name, module in model.named_modules()
        for part in (module._parameters, module._buffers, vars(module))
        for key, value in part.items()
        if isinstance(value, torch.Tensor)
    }
    return digest(dict(sorted(held.items())))


@contextlib.contextmanager
def _filters(step: Step) -> Iterator[None]:
    # Not warnings.catch_warnings: that would also end the listening.
    before = warnings.filters[:]
    if step.all_warnings:
        warnings.simplefilter("always")
    try:
        yield
    finally:
        if step.all_warnings:
            warnings.filters[:] = before  # type: ignore[index]
            warnings._filters_mutated()  # type: ignore[attr-defined]


def run_step(row: Row, model: torch.nn.Module, call: Callable[..., Any], step: Step) -> Facts:
    """One call, and what came of it."""
    inputs = row.inputs(step.variant, step.other_length)
    if step.stressed and row.stress:
        row.stress(model)
    output, error = "", ""
    with listen() as heard, _filters(step):
        try:
            output = digest(call(**inputs))
        except Exception as raised:
            error = first_line(raised)
    return {
        "output": output,
        "error": error,
        "state": state(model),
        "inputs": digest(inputs),
        "records": heard.records,
        "compiler_records": heard.compiler,
    }


def measure(row: Row, side: str, save: Callable[[Facts], None], hide: str = "") -> Facts:
    """All facts of a side; ``save`` is called with what is known after each stage."""
    facts: Facts = {"row": row.name, "side": side, "stage": "building"}
    save(facts)
    with torch.no_grad():
        model = row.build()
        facts["model"] = state(model)
        hidden = _hiding(hide)
        hidden.before(model)
        facts["hidden"] = sum(hidden.count.values())
        if side == "eager":
            hidden.after(model)
            facts["steps"] = {
                step.name: run_step(row, model, model, step) for step in steps_of(row)
            }
        else:
            _measure_compiled(row, side, model, facts, save, hidden)
    facts["stage"] = "done"
    save(facts)
    return facts


def _hiding(hide: str) -> hiding.Hiding:
    """What hides a model's code in this way, in all ways in turn, or not at all."""
    return hiding.Hiding((hide,) if hide in hiding.WAYS else hiding.WAYS if hide else ())


def _measure_compiled(
    row: Row,
    side: str,
    model: torch.nn.Module,
    facts: Facts,
    save: Callable[[Facts], None],
    hidden: hiding.Hiding,
) -> None:
    compile_with = compiler(side)
    facts["steps"] = {}
    with watch() as seen:
        facts["stage"] = "compiling"
        started = time.perf_counter()
        call = compile_with(model, backend=seen.backend)
        facts["compile_call_ms"] = (time.perf_counter() - started) * 1e3
        facts["known_before"] = len(_of_report(side, call).get("report", {}).get("sites", ()))
        hidden.after(model)
        for step in steps_of(row):
            facts["stage"] = f"the {step.name} call"
            save(facts)
            before = _counts(seen)
            facts["steps"][step.name] = run_step(row, model, call, step)
            added = {key: value - before[key] for key, value in _counts(seen).items()}
            facts["steps"][step.name].update(added)
            if step.name == "first":
                facts["operators"] = seen.operators()
                facts["break_list"] = [str(one) for one in seen.breaks]
                facts["skipped_list"] = list(seen.skipped)
    facts.update(_of_report(side, call))
    facts["stage"] = "fullgraph"
    save(facts)
    facts["fullgraph"] = _fullgraph(row, compile_with, hidden)


def _counts(seen: Watch) -> dict[str, int]:
    return {
        "graphs": len(seen.graphs),
        "breaks": len(seen.breaks),
        "skipped": len(seen.skipped),
        "frames": len(seen.frames),
        "calls": seen.calls,
    }


def _fullgraph(row: Row, compile_with: Compiler, hidden: hiding.Hiding) -> bool | str:
    """Whether a fresh model passes with ``fullgraph=True``, else the first line of the error."""
    torch._dynamo.reset()
    with listen():
        try:
            model = row.build()
            hidden.before(model)
            call = compile_with(model, backend="eager", fullgraph=True)
            hidden.after(model)
            call(**row.inputs())
        except Exception as error:
            return first_line(error)
    return True


def _of_report(side: str, call: Callable[..., Any]) -> Facts:
    """What graphmend says of its own work."""
    if side != "mended" or os.environ.get(STAND_IN):
        return {}
    import graphmend

    report = graphmend.report(call)
    return {"report": json.loads(report.to_json())}


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line of a worker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("row")
    parser.add_argument("--side", choices=SIDES, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--hide", default="")
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)

    def save(facts: Facts) -> None:
        partial = given.out.with_suffix(".part")
        partial.write_text(json.dumps(facts, indent=1), encoding="utf-8")
        partial.replace(given.out)

    measure(row_named(given.row), given.side, save, given.hide)
    return 0


if __name__ == "__main__":
    sys.exit(main())
