"""What the checks of this project share: its files, its stages, and how a check reports."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def files(*folders: str, suffixes: Iterable[str] = ()) -> list[Path]:
    """Files under ``folders`` that git knows or would take, in order of their names."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *folders],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    names = sorted({name for name in listing.decode().split("\0") if name})
    wanted = tuple(suffixes)
    paths = (ROOT / name for name in names if not wanted or name.endswith(wanted))
    return [path for path in paths if path.is_file()]


def stages() -> list[str]:
    """The folders of src/ in their order, as CMakeLists.txt gives it."""
    text = (ROOT / "CMakeLists.txt").read_text()
    match = re.search(r"set\(GRAPHMEND_STAGES\s+([^)]*)\)", text)
    if match is None:
        raise ValueError("CMakeLists.txt does not set GRAPHMEND_STAGES")
    return match.group(1).split()


def place(path: Path, line: int) -> str:
    """``path`` and ``line`` as a message names them."""
    return f"{path.relative_to(ROOT)}:{line}"


def report(check: Callable[[], list[str]]) -> int:
    """Print what ``check`` found; return the exit status."""
    problems = check()
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0
