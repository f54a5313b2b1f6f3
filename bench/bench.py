"""All that is measured, with the times of every row under inductor.

    python -m bench.bench [--write] [ROW ...]

With ``--write`` the figures go into docs/results.md as well.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench import mending, rows, table
from bench.models import ROWS, row_named
from bench.workers import ROOT

Record = dict[str, Any]

RESULTS = ROOT / "docs" / "results.md"


def machine() -> str:
    """What the figures were measured on, and with what."""
    cpu = platform.processor() or platform.machine()
    for line in _text(Path("/proc/cpuinfo")).splitlines():
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    cores = len(os.sched_getaffinity(0))
    libraries = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers"))
    return f"{cpu}, {cores} cores; Python {platform.python_version()}, {libraries}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def commit() -> str:
    """The commit that was measured."""
    command = ["git", "rev-parse", "--short", "HEAD"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return found.stdout.strip() or "(no commit)"


def results(records: Sequence[Record], extra: Sequence[str]) -> str:
    """The text of docs/results.md."""
    day = time.strftime("%Y-%m-%d", time.gmtime())
    lines = "\n".join(f"- {line}" for line in extra)
    body = table.markdown(records, (*table.COLUMNS, *table.TIMES))
    return (
        "# Results\n\n"
        "Written by `make bench` (`python -m bench.bench --write`); not edited by hand.\n\n"
        f"Measured {day} at commit {commit()} on: {machine()}.\n\n"
        f"{body}\n{table.LEGEND}\n\n## Other figures\n\n{lines}\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows by name (all)")
    parser.add_argument("--write", action="store_true", help="write docs/results.md")
    given = parser.parse_args(arguments)
    chosen = [row_named(name) for name in given.rows] or list(ROWS)
    records, status = rows.run(chosen, timed=chosen)
    extra = mending.lines()
    for line in extra:
        rows.say(line)
    if given.write:
        RESULTS.parent.mkdir(exist_ok=True)
        RESULTS.write_text(results(records, extra), encoding="utf-8")
        rows.say(f"written: {RESULTS.relative_to(ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
