"""Cold start and steady state under inductor, mended against original.

    python -m bench.times ROW --side original|mended        (a worker; see ``compare``)

A worker compiles its side with an empty compile cache and says how long that took with the first
call; then, for each line that it reads, how long calls take now. ``compare`` keeps a worker of each
side alive and asks them in turn, so that what else the machine does falls on both.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from bench.workers import ROOT, environment, kill

Facts = dict[str, Any]

ANSWER_SECONDS = 300.0
CHUNK_SECONDS = 0.3
WARM_UP_SECONDS = 0.3


class WorkerError(Exception):
    """A worker ended before it answered."""


class _Worker:
    """A side of a row, compiled and ready to be timed."""

    def __init__(self, row: str, side: str, cache: str) -> None:
        # One compile thread: a pool's start would be part of what is compared.
        settings = {"TORCHINDUCTOR_CACHE_DIR": cache, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.times", row, "--side", side],
            cwd=ROOT,
            env={**environment(), **settings},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.side = side

    def answer(self) -> Facts:
        """The next line that the worker writes."""
        timer = threading.Timer(ANSWER_SECONDS, kill, [self.process])
        timer.start()
        try:
            line = _stream(self.process.stdout).readline()
        finally:
            timer.cancel()
        if not line:
            raise WorkerError(f"{self.side}: ended with status {self.process.wait()}")
        facts: Facts = json.loads(line)
        if "error" in facts:
            raise WorkerError(f"{self.side}: {facts['error']}")
        return facts

    def ask(self) -> float:
        """Seconds a call, now."""
        stdin = _stream(self.process.stdin)
        stdin.write("\n")
        stdin.flush()
        return float(self.answer()["seconds"])

    def end(self) -> None:
        """Stop the worker."""
        with contextlib.suppress(OSError):
            _stream(self.process.stdin).close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            kill(self.process)
            self.process.wait()


def _stream(stream: IO[str] | None) -> IO[str]:
    if stream is None:
        raise WorkerError("no pipe")
    return stream


@contextlib.contextmanager
def _worker(row: str, side: str) -> Iterator[_Worker]:
    with tempfile.TemporaryDirectory(prefix="graphmend-cache-") as cache:
        worker = _Worker(row, side, cache)
        try:
            yield worker
        finally:
            worker.end()


def compare(row: str, chunks: int = 6) -> Facts:
    """Times of both sides and their ratios; a side that fails is named instead."""
    try:
        with _worker(row, "original") as original:
            before = original.answer()
            with _worker(row, "mended") as mended:
                after = mended.answer()
                pairs = [(original.ask(), mended.ask()) for _ in range(chunks)]
    except (WorkerError, OSError, ValueError) as error:
        return {"cold_ratio": "fails", "steady_ratio": "fails", "times_error": str(error)}
    return {
        "cold_s_before": before["cold"],
        "cold_s_after": after["cold"],
        "cold_ratio": after["cold"] / before["cold"],
        "cold_cpu_ratio": after["cold_cpu"] / before["cold_cpu"],
        "steady_ms_before": 1e3 * min(pair[0] for pair in pairs),
        "steady_ms_after": 1e3 * min(pair[1] for pair in pairs),
        "steady_ratio": statistics.median(pair[1] / pair[0] for pair in pairs),
        "peak_mib_before": before["peak_mib"],
        "peak_mib_after": after["peak_mib"],
    }


def _cpu_seconds() -> float:
    """Of this process and of the compilers it ran."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN)
    return mine.ru_utime + mine.ru_stime + theirs.ru_utime + theirs.ru_stime


def _calls(call: Callable[[], object], seconds: float) -> list[float]:
    taken: list[float] = []
    end = time.perf_counter() + seconds
    while not taken or time.perf_counter() < end:
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return taken


def serve(row_name: str, side: str, lines: IO[str], say: Callable[[Facts], None]) -> None:
    """The life of a worker."""
    import torch
    import torch._dynamo
    import torch._inductor.compile_fx

    from bench.models import row_named
    from bench.probe import compiler

    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    row = row_named(row_name)
    model, inputs = row.build(), row.inputs()
    compile_with = compiler(side)
    with torch.no_grad():
        started, cpu = time.perf_counter(), _cpu_seconds()
        compiled = compile_with(model, backend="inductor")
        compiled(**inputs)
        facts = {"cold": time.perf_counter() - started, "cold_cpu": _cpu_seconds() - cpu}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        _calls(lambda: compiled(**inputs), WARM_UP_SECONDS)
        say({**facts, "peak_mib": peak})
        for _ in lines:
            taken = _calls(lambda: compiled(**inputs), CHUNK_SECONDS)
            say({"seconds": statistics.median(taken)})


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line of a worker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("row")
    parser.add_argument("--side", choices=("original", "mended"), required=True)
    given = parser.parse_args(arguments)
    # Whatever else is printed goes to the error output: the protocol has the standard one.
    answers = sys.stdout
    sys.stdout = sys.stderr

    def say(facts: Facts) -> None:
        print(json.dumps(facts), file=answers, flush=True)

    try:
        serve(given.row, given.side, sys.stdin, say)
    except Exception as error:
        say({"error": f"{type(error).__name__}: {str(error).strip().splitlines()[:1]}"})
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
