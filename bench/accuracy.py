"""Findings of ``graphmend check`` against what Dynamo breaks on, over the rows' models.

    python -m bench.accuracy [ROW ...] [--newer] [--keep DIR] [--out FILE]

Each row runs in a process of its own: once in eager mode with a line trace, for the lines that run
at all, and once under ``torch.compile``, for the lines at which Dynamo breaks. A break is recalled
when a finding is in the same statement (in its head, for those that have a body): which of its
lines bytecode names is chance. A finding counts against precision when its line ran, in a
function that Dynamo did not give up, and no row broke there. ``--newer`` takes the architectures
of ``bench.architectures`` instead, with the Python of ``.venv5``. ``--keep`` leaves what was
observed in a folder, and takes from it what is there: observing is slow, comparing is not.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

from bench import observing
from bench.watch import short, watch
from bench.workers import ROOT, environment

Place = tuple[str, int]


def _last_line(code: CodeType) -> int:
    lines = [line for _, _, line in code.co_lines() if line is not None]
    return max(lines, default=code.co_firstlineno)


def observe(name: str, newer: bool) -> dict[str, Any]:
    """The breaks of a row, the functions that Dynamo gave up, and the lines that run."""
    make: Callable[[], torch.nn.Module]
    if newer:
        from bench.architectures import architecture_named

        make, feed = architecture_named(name)
    else:
        from bench.models import row_named

        row = row_named(name)
        make, feed = row.build, row.inputs
    lines: set[Place] = set()
    ends: dict[Place, int] = {}

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        path = frame.f_code.co_filename
        if event == "call":
            if not observing.of_users(path):
                return None
            ends[path, frame.f_code.co_firstlineno] = _last_line(frame.f_code)
        elif event == "line":
            lines.add((path, frame.f_lineno))
        return trace

    failure = ""
    with torch.no_grad():
        model, inputs = make(), feed()
        sys.settrace(trace)
        try:
            model(**inputs)
        finally:
            sys.settrace(None)
        model, inputs = make(), feed()
        with watch() as seen:
            try:
                torch.compile(model, backend=seen.backend)(**inputs)
            except Exception as error:
                failure = type(error).__name__
    given_up = set(re.findall(r"\((\S+:\d+)\)", "\n".join(seen.skipped)))
    return {
        "failure": failure,
        "breaks": sorted({(one.path, one.line, one.kind) for one in seen.breaks}),
        "skipped": sorted(
            (path, first, last)
            for (path, first), last in ends.items()
            if f"{short(path)}:{first}" in given_up
        ),
        "lines": sorted(lines),
    }


@dataclass
class Score:
    """Counts, and what was missed."""

    breaks: int = 0
    found: int = 0
    found_surely: int = 0
    certain: int = 0
    certain_true: int = 0
    findings: int = 0
    missed: list[str] = field(default_factory=list)
    unsure: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """The table."""

        def share(part: int, whole: int) -> str:
            return f"{part} of {whole}" + (f" ({100 * part / whole:.1f} %)" if whole else "")

        return [
            f"breaks with a finding:                   {share(self.found, self.breaks)}",
            f"breaks with a certain or likely finding: {share(self.found_surely, self.breaks)}",
            f"certain findings that broke:             {share(self.certain_true, self.certain)}",
            f"findings on lines that were traced:      {self.findings}",
            f"findings for one break:                  {self.findings / max(1, self.breaks):.2f}",
            *(f"missed: {one}" for one in self.missed),
            *(f"only possible: {one}" for one in self.unsure),
            *(f"certain, did not break: {one}" for one in self.wrong),
        ]


class Statements:
    """The first line of the statement whose own lines, its body aside, hold a line."""

    def __init__(self) -> None:
        self._starts: dict[str, dict[int, int]] = {}

    def place(self, path: str, line: int) -> Place:
        """The place of the statement."""
        if path not in self._starts:
            self._starts[path] = self._read(path)
        return path, self._starts[path].get(line, line)

    @staticmethod
    def _read(path: str) -> dict[int, int]:
        starts: dict[int, int] = {}
        for node in ast.walk(ast.parse(Path(path).read_bytes())):
            if not isinstance(node, ast.stmt):
                continue
            inner: list[ast.AST] = [*getattr(node, "body", ()), *getattr(node, "cases", ())]
            end = node.end_lineno or node.lineno
            if inner:
                first = inner[0].pattern if isinstance(inner[0], ast.match_case) else inner[0]
                end = max(node.lineno, getattr(first, "lineno", end) - 1)
            starts.update(dict.fromkeys(range(node.lineno, end + 1), node.lineno))
        return starts


def score(observations: Sequence[dict[str, Any]], findings: Sequence[dict[str, Any]]) -> Score:
    """Compare the findings with what all rows together showed."""
    statements = Statements()
    breaks: dict[Place, str] = {}
    traced: set[Place] = set()
    for seen in observations:
        spans = [tuple(one) for one in seen["skipped"]]

        def given_up(path: str, line: int, spans: Sequence[Any] = spans) -> bool:
            return any(path == p and first <= line <= last for p, first, last in spans)

        breaks.update(
            {
                statements.place(path, line): kind
                for path, line, kind in seen["breaks"]
                if observing.of_users(path) and not given_up(path, line)
            }
        )
        # After a failure nobody knows how far Dynamo came.
        if not seen["failure"]:
            traced |= {statements.place(p, n) for p, n in seen["lines"] if not given_up(p, n)}
    result = Score(breaks=len(breaks))

    places = [statements.place(one["path"], one["line"]) for one in findings]
    for place, kind in sorted(breaks.items()):
        there = [one for one, at in zip(findings, places, strict=True) if at == place]
        result.found += bool(there)
        sure = any(one["certainty"] != "possible" for one in there)
        result.found_surely += sure
        if not there:
            result.missed.append(f"{place[0]}:{place[1]} {kind}")
        elif not sure:
            result.unsure.append(f"{place[0]}:{place[1]} {kind}")
    for one, at in zip(findings, places, strict=True):
        if at not in traced:
            continue
        result.findings += 1
        if one["certainty"] == "certain":
            result.certain += 1
            if at in breaks:
                result.certain_true += 1
            else:
                result.wrong.append(f"{one['path']}:{one['line']} {one['kind']}")
    return result


def _checked(paths: Sequence[str], python: Path) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "graphmend.cli", "check", "--format=json"]
    done = subprocess.run(
        [*command, f"--environment={python}", *paths],
        stdout=subprocess.PIPE,
        check=False,
        cwd=ROOT,
        env=environment(),
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    given = observing.parse(arguments, __doc__, observe)
    if given is None:
        return 0
    seen = list(observing.observed("bench.accuracy", given))
    files = sorted({path for one in seen for path, _ in one["lines"] if Path(path).is_file()})
    lines = [f"models: {len(seen)}", *score(seen, _checked(files, given.python)).lines()]
    text = "\n".join(lines)
    print(text)
    if given.out:
        given.out.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
