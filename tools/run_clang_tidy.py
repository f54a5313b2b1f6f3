"""Run clang-tidy over the compiled files of src/ that changed since it last found them clean.

A file counts as unchanged while its own text, that of every header it includes (as the build
recorded them), its compiler flags and .clang-tidy are what they were.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from project import ROOT

BUILD = ROOT / "build" / "dev"
CLEAN = ROOT / "build" / "clang-tidy"
BIN = ROOT / ".venv" / "bin"
# Where clang warns and g++ does not: -Wconversion includes signedness, and libstdc++ 12 calls
# functions of its own that C++17 deprecated; a table that ships is one long literal.
EXTRA = (
    "-Wno-unknown-warning-option",
    "-Wno-unknown-argument",
    "-Wno-sign-conversion",
    "-Wno-deprecated-declarations",
    "-Wno-overlength-strings",
)


def headers_by_object() -> dict[str, list[str]]:
    """What each object file was made from, out of ninja's log of dependencies."""
    listing = subprocess.run(
        [BIN / "ninja", "-C", BUILD, "-t", "deps"], check=True, capture_output=True, text=True
    ).stdout
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in listing.splitlines():
        if line.startswith("    "):
            current.append(line.strip())
        elif ": #deps" in line:
            current = found.setdefault(line.split(": #deps")[0], [])
    return found


def key(command: str, made_from: list[str]) -> str:
    digest = hashlib.sha256()
    digest.update((ROOT / ".clang-tidy").read_bytes())
    digest.update(Path(__file__).read_bytes())
    digest.update(command.encode())
    for name in sorted(made_from):
        path = (BUILD / name).resolve()
        if path.is_relative_to(ROOT / "src") and path.exists():
            digest.update(path.read_bytes())
    return digest.hexdigest()


def check(source: str) -> tuple[str, int, str]:
    arguments = [str(BIN / "clang-tidy"), "--quiet", "-p", str(BUILD)]
    arguments += [f"--extra-arg={flag}" for flag in EXTRA]
    result = subprocess.run([*arguments, source], capture_output=True, text=True, check=False)
    said = "\n".join(
        line
        for line in (result.stdout + result.stderr).splitlines()
        if not re.match(r"\d+ (warning|error)s? (generated|treated|and)", line)
    )
    return source, result.returncode, said.strip()


def main() -> int:
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    made_from = headers_by_object()
    CLEAN.mkdir(parents=True, exist_ok=True)
    stamps: dict[str, Path] = {}
    for entry in commands:
        source = Path(entry["file"])
        if not source.is_relative_to(ROOT / "src"):
            continue
        stamp = CLEAN / key(entry["command"], [str(source), *made_from.get(entry["output"], [])])
        if not stamp.exists():
            stamps[str(source)] = stamp

    failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for number, (checked, status, said) in enumerate(pool.map(check, stamps), start=1):
            name = Path(checked).relative_to(ROOT)
            print(f"   {number}/{len(stamps)} {name}", flush=True)
            if status == 0:
                stamps[checked].touch()
            else:
                failed += 1
                print(said, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
