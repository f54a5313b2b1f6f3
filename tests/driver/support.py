"""Runs the command line in a process of its own, as users do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    status: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)


def graphmend(*arguments: str | os.PathLike[str], stdin: bytes = b"", cwd: Path = ROOT) -> Result:
    """The command's status and what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "graphmend.cli", *map(os.fspath, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env=environment,
        check=False,
        timeout=120,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
