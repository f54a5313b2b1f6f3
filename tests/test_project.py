"""The project's own rules, as `make lint` checks them, where they are quick to check."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_layers
import check_names
import check_sizes
import project
import pytest

ROOT = Path(__file__).resolve().parent.parent
IN_CHECKOUT = (ROOT / ".git").exists()
needs_checkout = pytest.mark.skipif(not IN_CHECKOUT, reason="asks git for the project's files")


@needs_checkout
@pytest.mark.parametrize("check", [check_layers, check_names, check_sizes])
def test_rule_holds(check):
    assert check.problems() == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("import transformers", True),
        ("x = t5.forward", True),
        ("class BartAttention:", True),
        ("MBART_CONFIG", True),
        ("modeling_whisper.py", True),
        ("the uint5 and int5 types", False),
        ("a bartender transformed it", False),
        ("partition, chart, RESTART", False),
    ],
)
def test_names_are_found_as_words(line, expected):
    pattern = re.compile("|".join(check_names.pattern(name) for name in check_names.names()))
    assert bool(pattern.search(line)) is expected


def test_modules_of_tests_have_names_of_their_own():
    """Two of one name can't be collected in one run."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert sorted(names) == sorted(set(names))


@needs_checkout
def test_sources_name_no_place_of_one_machine():
    places = re.compile(rb"/(?:work|root)/[a-z.]|/home/(?!me/)[a-z]+/|/opt/[a-z]+|bash_jobs")
    found = []
    for path in project.files():
        text = path.read_bytes()
        if path == Path(__file__) or b"\0" in text:
            continue
        found += [
            project.place(path, text.count(b"\n", 0, match.start()) + 1)
            for match in places.finditer(text)
        ]
    assert found == []


def test_stages_follow_the_folders():
    stages = project.stages()
    folders = {path.name for path in (ROOT / "src").iterdir() if path.is_dir()}
    assert folders - {"python"} <= set(stages)
    assert len(set(stages)) == len(stages)


def first_include(source: Path) -> str:
    match = re.search(r'^#include "(.*)"', source.read_text(encoding="utf-8"), re.MULTILINE)
    return match.group(1) if match else ""


def test_headers_are_self_contained(tmp_path):
    """A header that its own .cpp includes first is shown so by the build; the rest are compiled."""
    source = ROOT / "src"
    headers = {str(path.relative_to(source)) for path in source.glob("*/*.h")}
    headers -= {first_include(path) for path in source.glob("*/*.cpp")}

    def compile_alone(header: str) -> str:
        unit = tmp_path / (header.replace("/", "_") + ".cpp")
        unit.write_text(f'#include "{header}"\n#include "{header}"\n')
        command = ["g++", "-std=c++20", "-fsyntax-only", f"-I{source}", str(unit)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        return result.stderr if result.returncode else ""

    with ThreadPoolExecutor(2) as pool:
        assert "".join(pool.map(compile_alone, sorted(headers))) == ""


def test_core_links_neither_torch_nor_python():
    import graphmend._core

    listing = subprocess.run(
        ["ldd", graphmend._core.__file__], check=True, capture_output=True, text=True
    ).stdout
    allowed = re.compile(r"linux-vdso|libstdc\+\+|libgcc_s|libc\.|libm\.|libpthread|ld-linux")
    assert [line for line in listing.splitlines() if not allowed.search(line)] == []


def test_requirements_are_pinned():
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                assert re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line), f"{path.name}: {line}"


def test_import_needs_no_torch():
    program = "import sys, graphmend, graphmend.cli; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_command_line():
    command = [sys.executable, "-m", "graphmend.cli"]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    wanted = re.search(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert wanted is not None
    assert version.stdout == f"graphmend {wanted.group(1)}\n"
