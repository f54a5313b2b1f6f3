"""Fuzz the core with libFuzzer under the address and undefined-behaviour sanitizers.

    python tools/fuzz.py [--seconds 60] [--max-len 96] [--seed 1] [TARGET...]

Builds the preset `fuzz`, makes a corpus by rule (CPython's standard library with its tests, cut
into top-level statements, and this project's own nasty files), runs each target, and prints how
many executions there were.  Inputs that break a property are kept in build/fuzz/found; once mended,
they belong into tests/fuzz/seeds.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from project import ROOT

BUILD = ROOT / "build" / "fuzz"
FOLDER = ROOT / "tests" / "fuzz"
LOG = BUILD / "runs.tsv"
COMPILER = "clang++-19"
# Seeds of the corpus in all, and the largest in bytes.
MOST_SEEDS = 3000
LARGEST = 512


def targets() -> list[str]:
    names = [path.name.removesuffix("_target.cpp") for path in FOLDER.glob("*_target.cpp")]
    return sorted(names)


def packages() -> list[str]:
    lines = (ROOT / "debian-packages-fuzz.txt").read_text().split("\n")
    return [line for line in lines if line and not line.startswith("#")]


def missing() -> str | None:
    """What to do before fuzzing is possible; None when all is there."""
    if shutil.which(COMPILER):
        return None
    command = f"apt-get install -y --no-install-recommends {' '.join(packages())}"
    return f"{COMPILER} is missing; on Debian 12: {'' if os.geteuid() == 0 else 'sudo '}{command}"


def build() -> None:
    subprocess.run([ROOT / "tools" / "build.sh", "fuzz", "fuzz_targets"], check=True)


def chunks(text: bytes) -> Iterator[bytes]:
    """Runs of lines of a file that start with a line that is not indented."""
    lines = text.splitlines(keepends=True)
    start = 0
    for number in range(1, len(lines) + 1):
        if number == len(lines) or not lines[number][:1].isspace():
            yield b"".join(lines[start:number])
            start = number


def corpus(kind: str) -> Path:
    """The folder of seeds for a kind of target: "edits", or "text" for all others."""
    folder = BUILD / "corpus" / kind
    if folder.exists():
        return folder
    made = folder.with_suffix(".new")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    seeds = [path.read_bytes() for path in sorted((FOLDER / "seeds" / kind).iterdir())]
    if kind == "text":
        own = [ROOT / "tests" / "data" / "nasty", ROOT / "tests" / "mends" / "golden"]
        seeds += [path.read_bytes()[:LARGEST] for place in own for path in sorted(place.iterdir())]
        library = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
        parts = {
            hashlib.sha256(part).digest(): part
            for path in library
            if "site-packages" not in path.parts
            for part in chunks(path.read_bytes())
            if 8 <= len(part) <= LARGEST
        }
        # In the order of their hashes: a sample without a preference.
        seeds += [parts[key] for key in sorted(parts)[:MOST_SEEDS]]
    for seed in seeds:
        (made / hashlib.sha256(seed).hexdigest()[:20]).write_bytes(seed)
    made.rename(folder)
    return folder


@dataclass(frozen=True)
class Run:
    target: str
    seconds: int
    max_len: int
    seed: int
    executions: int
    coverage: int
    finding: str  # empty when there was none


def fuzz(
    target: str,
    seconds: int,
    max_len: int,
    seed: int,
    *,
    short: bool = False,
) -> Run:
    """Run one target; inputs that reach new code join the corpus of later runs.

    With ``short``, it starts from the project's own seeds alone, and keeps nothing.
    """
    kind = "edits" if target == "edits" else "text"
    seeds = FOLDER / "seeds" / kind if short else corpus(kind)
    # libFuzzer writes into the first folder.
    grown = BUILD / ("short" if short else "grown") / target
    if short:
        shutil.rmtree(grown, ignore_errors=True)
    found = BUILD / "found"
    grown.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    command = [
        str(BUILD / f"fuzz_{target}"),
        f"-max_total_time={seconds}",
        f"-max_len={max_len}",
        f"-seed={seed}",
        f"-dict={FOLDER / 'python.dict'}",
        f"-artifact_prefix={found}/{target}-",
        "-print_final_stats=1",
        "-timeout=10",
        "-rss_limit_mb=2048",
        # Many small inputs find more here than a few chosen with care.
        "-entropic=0",
        "-use_cmp=0",
        "-reduce_inputs=0",
        "-detect_leaks=0",
        str(grown),
        str(seeds),
    ]
    environment = {**os.environ, "ASAN_OPTIONS": "malloc_context_size=2:quarantine_size_mb=4"}
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", env=environment, check=False
    )
    executions = re.search(r"stat::number_of_executed_units: (\d+)", done.stderr)
    coverage = re.findall(r"cov: (\d+)", done.stderr)
    finding = ""
    if done.returncode != 0:
        said = [line for line in done.stderr.splitlines() if not line.startswith("#")]
        (BUILD / f"{target}.log").write_text(done.stderr)
        wrote = [line for line in said if "Test unit written to" in line]
        causes = [line for line in said if "ERROR" in line or "property" in line]
        finding = " / ".join([*causes[:2], *wrote[:1]]) or f"status {done.returncode}"
    return Run(
        target,
        seconds,
        max_len,
        seed,
        int(executions[1]) if executions else 0,
        int(coverage[-1]) if coverage else 0,
        finding,
    )


def record(run: Run) -> None:
    """Add a run to the log of this checkout."""
    fields = (date.today(), run.target, run.max_len, run.seed, run.seconds, run.executions)
    line = "\t".join(map(str, (*fields, run.coverage, run.finding or "none")))
    with LOG.open("a", encoding="utf-8") as stream:
        print(line, file=stream)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(targets()))
    parser.add_argument("--seconds", type=int, default=60, help="for each target (60)")
    parser.add_argument("--max-len", type=int, default=96, help="largest input in bytes (96)")
    parser.add_argument("--seed", type=int, default=1, help="of the random numbers (1)")
    parser.add_argument("--no-build", action="store_true", help="use what was built before")
    options = parser.parse_args()
    unknown = set(options.targets) - set(targets())
    if unknown:
        parser.error(f"no such target: {', '.join(sorted(unknown))}; take {', '.join(targets())}")
    if problem := missing():
        print(f"fuzz: {problem}", file=sys.stderr)
        return 2
    if not options.no_build:
        build()
    total = 0
    findings = 0
    for target in options.targets or targets():
        run = fuzz(target, options.seconds, options.max_len, options.seed)
        record(run)
        total += run.executions
        findings += bool(run.finding)
        rate = run.executions // max(1, run.seconds)
        print(
            f"{target:8} {run.executions:>11,} executions ({rate:,}/s), coverage {run.coverage}, "
            f"{run.finding or 'no finding'}",
            flush=True,
        )
    print(f"{total:,} executions in all, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
