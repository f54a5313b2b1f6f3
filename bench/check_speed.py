"""What a check of a large package costs: processor time, wall time, memory, with and without cache.

    python -m bench.check_speed [PATH] [--rounds 3]

PATH is a folder of sources; where none is given, the newer transformers of ``.venv5`` (``make
rows5``), else that of ``.venv``. Each figure is the least of all rounds, since what else the
machine does only adds: one thread and two, with nothing kept; every other file of the same; and the
whole again when nothing changed. All are runs of the command, in processes of their own.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.workers import ROOT, environment

CPU_S, CACHED_S, THREADS, MEMORY_MB = 6.0, 0.5, 1.8, 1500.0
"""What is allowed: processor seconds, wall seconds when nothing changed, the gain of a second
thread, and peak memory."""


@dataclass
class Cost:
    """Of one run."""

    cpu: float
    wall: float
    memory: float
    """In MB."""

    def least(self, other: Cost | None) -> Cost:
        """The smaller of each figure."""
        if other is None:
            return self
        return Cost(
            min(self.cpu, other.cpu), min(self.wall, other.wall), min(self.memory, other.memory)
        )


def run(paths: Sequence[str], threads: int, cache: Path | None) -> Cost:
    """One check; its findings are thrown away."""
    command = [sys.executable, "-m", "graphmend.cli", "check", "--format=json"]
    command += [f"--threads={threads}", f"--cache={cache}" if cache else "--no-cache", *paths]
    start = time.perf_counter()
    process = os.posix_spawn(
        command[0],
        command,
        environment(),
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise SystemExit(f"graphmend check ended with {os.waitstatus_to_exitcode(status)}")
    return Cost(used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1024)


def sources() -> Path:
    """The package that is checked where none is named."""
    for name in (".venv5", ".venv"):
        for found in sorted((ROOT / name).glob("lib/python3*/site-packages/transformers")):
            return found
    raise SystemExit("name a folder of sources")


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args(arguments)
    folder: Path = (given.path or sources()).resolve()
    files = sorted(map(str, folder.rglob("*.py")))
    size = sum(os.path.getsize(file) for file in files) / 1e6
    print(f"{folder}: {len(files)} files, {size:.1f} MB, least of {given.rounds} rounds")
    best: dict[str, Cost] = {}
    with tempfile.TemporaryDirectory(prefix="graphmend-check-") as kept:
        run([str(folder)], 2, Path(kept))
        for _ in range(given.rounds):
            for name, paths, threads, cache in (
                ("one thread", [str(folder)], 1, None),
                ("two threads", [str(folder)], 2, None),
                ("every other file", files[::2], 1, None),
                ("nothing changed", [str(folder)], 1, Path(kept)),
            ):
                best[name] = run(paths, threads, cache).least(best.get(name))
    for name, cost in best.items():
        print(
            f"{name:<17} {cost.cpu:6.2f} s of CPU {cost.wall:6.2f} s {cost.memory:6.0f} MB at most"
        )
    one, two = best["one thread"], best["two threads"]
    gain = one.wall / two.wall
    print(f"a second thread: {gain:.2f} times as fast")
    print(f"twice the files: {one.cpu / best['every other file'].cpu:.2f} times the CPU")
    ok = (
        one.cpu <= CPU_S
        and best["nothing changed"].wall <= CACHED_S
        and gain >= THREADS
        and max(cost.memory for cost in best.values()) <= MEMORY_MB
    )
    print("within the limits" if ok else "over a limit")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
