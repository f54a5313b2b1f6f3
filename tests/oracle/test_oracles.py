"""Samples of the oracles: every version of CPython that is installed, a few files of each."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import cpythons
import pytest

FOLDER = Path(__file__).resolve().parent
TOOLS = cpythons.ROOT / "build" / "dev"
# The modules of CPython's tests that hold most of the cases.
MODULES = ("test_syntax", "test_fstring", "test_patma", "test_type_params", "test_except_star")


@cache
def interpreters() -> dict[str, Path]:
    """CPythons by version, the one that runs this among them."""
    found = cpythons.interpreters()
    own = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if own not in found and cpythons.answers_to(Path(sys.executable), own):
        found[own] = Path(sys.executable)
    return found


@cache
def with_tests() -> tuple[str, ...]:
    """The versions whose own tests are installed; Debian has them in a package of their own."""
    program = f"import test.{MODULES[0]}"
    return tuple(
        version
        for version, python in interpreters().items()
        if not subprocess.run([python, "-c", program], capture_output=True, check=False).returncode
    )


def run(oracle: str, *arguments: object, versions: tuple[str, ...] = ()) -> str:
    """What an oracle prints; it must find no difference."""
    command = [sys.executable, FOLDER / f"{oracle}.py", *map(str, arguments)]
    for version, python in interpreters().items():
        if not versions or version in versions:
            command += ["--python", python]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def rows(table: str) -> list[list[str]]:
    """The rows of the table that an oracle prints, by version."""
    found = [line.split() for line in table.splitlines()]
    return [row for row in found if row and row[0] in cpythons.VERSIONS]


def test_an_interpreter_is_found() -> None:
    assert interpreters()


def test_trees() -> None:
    table = rows(run("ast_oracle", "--every", 499, "--letters", 5))
    assert len(table) == len(interpreters())
    assert all(int(row[3]) > 5 for row in table)


def test_scopes() -> None:
    table = rows(run("scope_oracle", "--every", 499))
    assert len(table) == len(interpreters())
    assert all(int(row[3]) > 100 for row in table)


def test_cases() -> None:
    versions = with_tests()
    if not versions:
        pytest.skip("no CPython with its tests is installed")
    table = rows(run("cases_oracle", "--every", 5, "--modules", *MODULES, versions=versions))
    assert len(table) == len(versions)
    for row in table:
        assert int(row[3]) > 50, "rejected by both"
        assert float(row[6]) >= 95, "the same line"


@pytest.mark.parametrize(
    ("options", "least"),
    [
        (["test_json", "test_generators", "test_except_star"], 5_000),
        (["--values", "test_bisect"], 100),
    ],
    ids=["steps", "values"],
)
def test_flow_of_executed_programs(options: list[str], least: int) -> None:
    """Every step and every read of a traced program is one that the flow knows."""
    if "3.11" not in with_tests():
        pytest.skip("no CPython 3.11 with its tests is installed")
    oracle, program = FOLDER / "flow_oracle.py", TOOLS / "oracle_flow_dump"
    command = [interpreters()["3.11"], oracle, program, "--seconds", "20", *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    checked = int(result.stdout.rpartition("checked ")[2].partition(",")[0])
    assert checked >= least


def test_characters() -> None:
    newest = list(interpreters())[-1]
    table = rows(run("unicode_oracle", "--every", 211, versions=(newest, "3.8", "3.11")))
    assert all(int(row[1]) > 1_000_000 for row in table)


def test_hostile_texts_take_linear_time() -> None:
    command = [sys.executable, FOLDER / "hostile.py", "--size", "250000", "--line", "250000"]
    for _ in range(3):  # what else the machine does may disturb the times
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode == 0:
            break
    assert result.returncode == 0, result.stdout + result.stderr
    assert len(result.stdout.splitlines()) > 40


def round_trip(files: list[Path]) -> str:
    listing = "".join(f"{file}\n" for file in files)
    tool = TOOLS / "oracle_round_trip"
    result = subprocess.run([tool], input=listing, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
    return result.stdout


def test_round_trip_of_a_sample() -> None:
    files = list(cpythons.corpora(Path(sys.executable)))[::101]
    assert round_trip(files).startswith(f"{len(files)} files")


def test_round_trip_of_nasty_files() -> None:
    files = sorted((cpythons.ROOT / "tests" / "data" / "nasty").glob("*.py"))
    assert int(round_trip(files).split()[0]) > 40


@pytest.mark.parametrize("wrong", ["x = 1\n", "def f(): pass\n"])
def test_a_difference_is_noticed(tmp_path: Path, wrong: str) -> None:
    """A tool that prints another file's tree is caught."""
    tool = tmp_path / "tool"
    other = tmp_path / "other.py"
    other.write_text("y\n")
    tool.write_text(
        f'#!/bin/sh\nwhile read path; do echo {other}; done | {TOOLS}/oracle_ast_dump "$@"\n'
    )
    tool.chmod(0o755)
    file = tmp_path / "file.py"
    file.write_text(wrong)
    command = [sys.executable, FOLDER / "ast_oracle.py", "--python", sys.executable]
    result = subprocess.run(
        [*command, "--tool", tool, file], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "different" in result.stdout
