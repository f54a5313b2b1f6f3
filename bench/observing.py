"""Models watched in a process each, for what is compared with their source."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from bench.workers import ROOT, environment

# A model that takes longer is left out, and named.
_SECONDS = 240


def of_users(path: str) -> bool:
    """Code of an installed package other than torch; the bench itself is not looked at."""
    return "site-packages/" in path and "site-packages/torch" not in path


def parse(
    arguments: Sequence[str] | None, doc: str | None, observe: Callable[[str, bool], Any]
) -> argparse.Namespace | None:
    """The command line of a comparison; None in the process that only observes one model."""
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("rows", nargs="*", default=[])
    parser.add_argument("--newer", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--observe")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args(arguments)
    torch.set_num_threads(1)
    if given.observe:
        seen = observe(given.observe, given.newer)
        given.out.write_text(json.dumps(seen), encoding="utf-8")
        return None
    given.python = ROOT / ".venv5/bin/python" if given.newer else Path(sys.executable)
    return given


def observed(module: str, given: argparse.Namespace) -> Iterator[Any]:
    """What ``module`` observes of each model; one that fails is left out, and named."""
    with tempfile.TemporaryDirectory(prefix="graphmend-observed-") as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for name in given.rows or _names(given.newer):
            out = folder / f"{'newer-' if given.newer else ''}{name}.{module.split('.')[-1]}.json"
            if out.exists() or _observe(module, name, given, out):
                yield json.loads(out.read_text(encoding="utf-8"))


def _names(newer: bool) -> list[str]:
    if newer:
        from bench.architectures import ARCHITECTURES

        return list(ARCHITECTURES)
    from bench.models import ROWS

    return [row.name for row in ROWS]


def _observe(module: str, name: str, given: argparse.Namespace, out: Path) -> bool:
    command = [str(given.python), "-m", module, "--observe", name, "--out", str(out)]
    try:
        done = subprocess.run(
            [*command, "--newer"] if given.newer else command,
            cwd=ROOT,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_SECONDS,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        print(f"{name}: no end after {_SECONDS} s, left out", file=sys.stderr)
        return False
    if done.returncode != 0 or not out.exists():
        last = done.stderr.strip().rsplit("\n", 1)[-1]
        print(f"{name}: not observed, left out ({last})", file=sys.stderr)
        return False
    return True
