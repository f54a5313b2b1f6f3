"""Processes that measure: a crash or a hang costs one cell of the table, not the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Facts = dict[str, Any]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Outcome:
    """What a worker found out, and what became of it: an empty ``failure`` is a clean end."""

    facts: Facts
    failure: str = ""


def environment() -> dict[str, str]:
    """One thread a worker: two run beside each other on the small machines this is made for.

    What the core says is asked anew by each.
    """
    fixed = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "GRAPHMEND_CACHE": ""}
    return {**os.environ, **fixed}


def probe(row: str, side: str, timeout: float, hide: str = "") -> Outcome:
    """Run ``bench.probe`` for one side of a row, its code hidden where that is said."""
    with tempfile.TemporaryDirectory(prefix="graphmend-bench-") as folder:
        out = Path(folder, "facts.json")
        command = [sys.executable, "-m", "bench.probe", row, "--side", side, "--out", str(out)]
        command += ["--hide", hide] if hide else []
        status, errors = _run(command, timeout)
        try:
            facts: Facts = json.loads(out.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            facts = {}
    stage = facts.get("stage", "starting")
    if stage == "done" and status == 0:
        return Outcome(facts)
    return Outcome(facts, f"{_describe(status, timeout)} while at: {stage}{errors}")


def _run(command: Sequence[str], timeout: float) -> tuple[int | None, str]:
    """Exit status, None after a timeout, and the last line of the error output."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        _, errors = process.communicate(timeout=timeout)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        kill(process)
        _, errors = process.communicate()
        status = None
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return status, f" ({lines[-1]})" if lines and status != 0 else ""


def kill(process: subprocess.Popen[Any]) -> None:
    """End a worker that leads its own session, and the compilers that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        process.kill()


def _describe(status: int | None, timeout: float) -> str:
    if status is None:
        return f"no end after {timeout:.0f} s"
    if status < 0:
        return f"killed by {signal.Signals(-status).name}"
    return f"exit status {status}"
