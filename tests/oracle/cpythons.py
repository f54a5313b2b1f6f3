"""What the oracles compare with, and on: CPythons that are installed, and files of Python."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
ROOT = Path(__file__).resolve().parents[2]


def interpreters() -> dict[str, Path]:
    """CPythons by version: python3.X of the PATH, else of pyenv."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = {}
    for version in VERSIONS:
        candidates = [folder / f"python{version}" for folder in folders]
        candidates += sorted(pyenv.glob(f"{version}.*/bin/python{version}"), reverse=True)
        for candidate in candidates:
            if answers_to(candidate, version):
                found[version] = candidate
                break
    return found


def answers_to(python: Path, version: str | None = None) -> str:
    """The version of a CPython that has its standard library's tests; '' for none or another."""
    if not python.is_file():
        return ""
    code = "import sys, symtable, test; print('%d.%d' % sys.version_info[:2])"
    run = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    answer = run.stdout.strip() if run.returncode == 0 else ""
    return answer if version in (None, answer) else ""


def chosen(versions: Sequence[str] | None, pythons: Sequence[Path] | None) -> dict[str, Path]:
    """The CPythons that options name: by version, by path, or all that are found."""
    found = {answers_to(python): python for python in pythons} if pythons else interpreters()
    return {name: python for name, python in found.items() if not versions or name in versions}


def standard_library(python: Path) -> Path:
    code = "import sysconfig; print(sysconfig.get_path('stdlib'))"
    run = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return Path(run.stdout.strip())


def corpora(python: Path, paths: Sequence[Path] = ()) -> Iterator[Path]:
    """All .py files of the paths; without any, of the CPython's standard library, its tests
    included, and of the packages torch and transformers of the Python that runs this."""
    folders = list(paths)
    if not folders:
        folders.append(standard_library(python))
        for package in ("torch", "transformers"):
            spec = importlib.util.find_spec(package)
            if spec is not None and spec.origin is not None:
                folders.append(Path(spec.origin).parent)
    for path in folders:
        if path.is_file():
            yield path
            continue
        for file in sorted(path.rglob("*.py")):
            if "site-packages" not in file.relative_to(path).parts:
                yield file


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Prints rows below their heads, columns aligned to the right."""
    table = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(map(len, column)) for column in zip(*table)]
    for row in table:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))
