"""How long mending itself takes, with nothing cached.

python -m bench.mending ROW        (a worker: one fresh process, one mending)
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from bench.workers import ROOT, environment

LIMIT_MS = 50.0
REPEATS = 3


def measure(row: str) -> dict[str, Any]:
    """The report of one mending in a process that has mended nothing before."""
    import graphmend
    import torch

    from bench.models import row_named

    torch.set_num_threads(1)
    compiled = graphmend.compile(row_named(row).build(), backend="eager")
    report: dict[str, Any] = json.loads(graphmend.report(compiled).to_json())
    return report


def lines(row: str = "bart") -> list[str]:
    """A line on the time that mending all takes that a row's forward reaches."""
    taken = []
    for _ in range(REPEATS):
        done = subprocess.run(
            [sys.executable, "-m", "bench.mending", row],
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if done.returncode:
            return [f"mending {row}: {(done.stderr.strip().splitlines() or ['failed'])[-1]}"]
        taken.append(float(json.loads(done.stdout.splitlines()[-1])["mend_ms"]))
    return [said(row, taken)]


def said(row: str, taken: Sequence[float]) -> str:
    """The line itself: fresh processes, nothing cached."""
    times = ", ".join(f"{one:.1f}" for one in taken)
    verdict = "under" if min(taken) < LIMIT_MS else "NOT under"
    return (
        f"mending all that {row}'s forward reaches, nothing cached: {times} ms, "
        f"{verdict} {LIMIT_MS:.0f} ms"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line of a worker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("row")
    given = parser.parse_args(arguments)
    print(json.dumps(measure(given.row)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
