"""Compare the parser's speed with those of CPython, ruff and tree-sitter, in the same run.

    python -m bench.parser_speed [--program build/dev/oracle_parse_speed] [PATH...]

Time: .py files under the paths (the standard library with its tests, torch and transformers, when
none are named), in memory, one core, CPU seconds.  Instructions a byte: callgrind, on every 400th
file by path.  Peak memory: of the heap while a file is parsed, over its size.  ruff parses only: a
copy of each file ends with a syntax error, and no rule but that for errors is selected; its time
holds reading the files.  tree-sitter is measured where bench/requirements.txt is installed.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def default_paths() -> list[Path]:
    paths = [Path(sysconfig.get_path("stdlib"))]
    for name in ("torch", "transformers"):
        found = importlib.util.find_spec(name)
        if found is not None and found.origin is not None:
            paths.append(Path(found.origin).parent)
    return paths


def files_under(paths: list[Path]) -> list[Path]:
    found: set[Path] = set()
    for path in paths:
        for file in path.rglob("*.py") if path.is_dir() else [path]:
            if "site-packages" not in file.relative_to(path).parts:
                found.add(file)
    return sorted(found)


def native(
    program: Path, files: list[Path], *arguments: str, prefix: tuple[str, ...] = ()
) -> dict[str, Any]:
    output = subprocess.run(
        [*prefix, str(program), *arguments],
        input="\n".join(map(str, files)) + "\n",
        text=True,
        capture_output=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(output.stdout)
    collected = re.search(r"Collected : (\d+)", output.stderr)
    if collected:
        result["instructions_per_byte"] = int(collected[1]) / result["bytes"]
    return result


def callgrind(function: str | None) -> tuple[str, ...]:
    toggle = () if function is None else (f"--toggle-collect={function}",)
    return ("valgrind", "--tool=callgrind", *toggle, "--callgrind-out-file=/dev/null")


def python_speed(files: list[Path], parse: Callable[[bytes], object]) -> float:
    """MB a second of a parser that Python calls, over the files that it accepts."""
    size = 0
    seconds = 0.0
    for path in files:
        text = path.read_bytes()
        start = time.process_time()
        try:
            parse(text)
        except (SyntaxError, ValueError):
            continue
        seconds += time.process_time() - start
        size += len(text)
    return size / 1e6 / seconds


def tree_sitter() -> Callable[[bytes], object] | None:
    try:
        core: Any = importlib.import_module("tree_sitter")
        grammar: Any = importlib.import_module("tree_sitter_python")
    except ImportError:
        return None
    parse: Callable[[bytes], object] = core.Parser(core.Language(grammar.language())).parse
    return parse


def ruff(files: list[Path], prefix: tuple[str, ...] = ()) -> tuple[float, int, int]:
    """CPU seconds, instructions (under callgrind) and bytes of ruff's parser alone."""
    program = Path(sys.executable).with_name("ruff")
    with tempfile.TemporaryDirectory() as folder:
        size = 0
        for number, path in enumerate(files):
            text = path.read_bytes().rstrip(b"\n") + b"\n"
            size += len(text)
            (Path(folder) / f"f{number}.py").write_bytes(text + b"= = =\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(
            [*prefix, str(program), "check", "--isolated", "--no-cache", "--select=E902", folder],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "RAYON_NUM_THREADS": "1"},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, int(collected[1]) if collected else 0, size


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build/dev/oracle_parse_speed")
    parser.add_argument("--every", type=int, default=20, help="time every N-th file (20)")
    parser.add_argument("paths", type=Path, nargs="*")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    files = files_under(options.paths or default_paths())
    timed = files[:: options.every]
    sample = files[::400]
    ours = native(options.program, timed, "5", "scopes")
    speed = ours["mb_per_second"]
    print(f"{len(files)} files; every {options.every}th timed: {ours['bytes'] / 1e6:.1f} MB")
    rows = [("graphmend", speed)]
    rows.append(("ast.parse", python_speed(timed, ast.parse)))
    empty = ruff([])[0]
    seconds, _, size = ruff(timed)
    rows.append(("ruff", size / 1e6 / max(1e-9, seconds - empty)))
    if parse := tree_sitter():
        rows.append(("tree-sitter", python_speed(timed, parse)))
    else:
        print("tree-sitter is not measured: pip install -r bench/requirements.txt")
    for name, rate in rows:
        print(f"  {name:12} {rate:8.2f} MB/s   graphmend is {speed / rate:6.2f} times as fast")
    share = ours["scope_seconds"] / ours["seconds"]
    print(f"scopes on top: {100 * share:.0f} % of the time of parsing")
    memory = native(options.program.with_name("oracle_parse_memory"), files)
    print(
        f"peak memory of a parse: {memory['peak_per_byte']} bytes a source byte over all files, "
        f"{memory['worst']} at worst ({Path(memory['worst_path']).name})"
    )
    if not shutil.which("valgrind"):
        print("instructions are not counted: valgrind is missing")
        return
    parse_only = native(
        options.program, sample, "1", prefix=callgrind("graphmend::syntax::parse_module*")
    )
    scopes = native(
        options.program, sample, "1", "scopes", prefix=callgrind("graphmend::scope::build*")
    )
    nothing = ruff([], callgrind(None))[1]
    _, instructions, size = ruff(sample, callgrind(None))
    theirs = (instructions - nothing) / size
    counted = parse_only["instructions_per_byte"]
    print(f"instructions a byte, every 400th file: graphmend {counted:.1f}, ruff {theirs:.1f}")
    print(f"  scopes on top: {100 * scopes['instructions_per_byte'] / counted:.0f} %")


if __name__ == "__main__":
    main()
