"""What is kept from check to check: used when nothing changed, made anew when anything did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from check_support import check
from graphmend import cache

PART = """\
import torch


class Part(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        print(x)
        return x
"""
WHOLE = """\
from torch import nn
from package.{module} import Part


class Whole(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def forward(self, x):
        return self.part(x)
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GRAPHMEND_CACHE", str(tmp_path / "kept"))
    folder = tmp_path / "project"
    package = folder / "package"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "part.py").write_text(PART)
    (package / "whole.py").write_text(WHOLE.format(module="part"))
    monkeypatch.chdir(folder)
    return folder


def entries() -> list[Path]:
    folder = cache.findings()
    assert folder is not None
    return sorted(folder.glob("*/*.findings"))


def kinds(*arguments: str) -> list[tuple[str, int, str]]:
    findings = json.loads(check("--format=json", *arguments).output)
    return [(one["path"], one["line"], one["kind"]) for one in findings]


FOUND = [("package/part.py", 6, "print-call")]


FORMATS = ("text", "json", "sarif", "github")


def test_a_second_check_says_the_same_and_writes_nothing(project: Path) -> None:
    plain = [check(f"--format={format}", "--no-cache", "package").output for format in FORMATS]
    assert not entries()
    first = [check(f"--format={format}", "package").output for format in FORMATS]
    (entry,) = entries()
    written = entry.stat().st_mtime_ns
    second = [check(f"--format={format}", "package").output for format in FORMATS]
    assert plain == first == second
    assert entries() == [entry]
    assert entry.stat().st_mtime_ns == written


def test_a_kept_result_is_used(project: Path) -> None:
    """What is not used is made anew, and put in place of the old file."""
    assert kinds("package") == FOUND
    (entry,) = entries()
    before = entry.stat().st_ino
    assert kinds("package") == FOUND
    assert entry.stat().st_ino == before
    entry.unlink()
    assert kinds("package") == FOUND
    assert entries() == [entry]


def test_a_change_of_the_file_is_seen(project: Path) -> None:
    assert kinds("package") == FOUND
    (project / "package" / "part.py").write_text("# moved\n" + PART)
    assert kinds("package") == [("package/part.py", 7, "print-call")]


def test_a_change_of_what_it_imports_is_seen(project: Path) -> None:
    """`package.part` is no part of the check: only what it says of `Whole` depends on it."""
    (project / "package" / "part.py").write_text(
        "import torch\n\n\nclass Part(torch.nn.Module):\n"
        "    def forward(self, x):\n        return x.sum()\n"
    )
    (project / "package" / "whole.py").write_text(
        WHOLE.format(module="part").replace(
            "return self.part(x)", "if self.part(x) > 0:\n            return x"
        )
    )
    assert kinds("package/whole.py") == [("package/whole.py", 11, "tensor-branch")]
    assert kinds("package/whole.py") == [("package/whole.py", 11, "tensor-branch")]
    (project / "package" / "part.py").write_text(
        "import torch\n\n\nclass Part(torch.nn.Module):\n"
        "    def forward(self, x):\n        return x.shape[0]\n"
    )
    assert kinds("package/whole.py") == []


def test_a_module_that_comes_up_is_seen(project: Path) -> None:
    """An import that led nowhere leads somewhere."""
    (project / "package" / "whole.py").write_text(
        WHOLE.format(module="later").replace(
            "return self.part(x)", "if self.part(x) > 0:\n            return x"
        )
    )
    arguments = ("--min-certainty=likely", "package/whole.py")
    assert kinds(*arguments) == []
    (project / "package" / "later.py").write_text(PART.replace("print(x)", "x = x.sum()"))
    assert kinds(*arguments) == [("package/whole.py", 11, "tensor-branch")]
    (project / "package" / "later.py").unlink()
    assert kinds(*arguments) == []


def test_findings_of_an_imported_file_follow_what_is_checked(project: Path) -> None:
    assert kinds("package/whole.py") == []
    assert kinds("package/whole.py", "package/part.py") == FOUND
    assert kinds("package/whole.py") == []


def test_a_damaged_entry_is_made_anew(project: Path) -> None:
    assert kinds("package") == FOUND
    (entry,) = entries()
    whole = entry.read_bytes()
    for data in (b"", whole[:20], whole[:-1], whole[:60] + b"?" + whole[61:], whole + b"?"):
        entry.write_bytes(data)
        assert kinds("package") == FOUND
        assert entry.read_bytes() == whole


def test_settings_and_versions_have_entries_of_their_own(project: Path) -> None:
    assert kinds("package") == FOUND
    assert kinds("--python-version=3.9", "package") == FOUND
    assert len(entries()) == 2
    assert kinds("--select=clock-read", "package") == []
    assert kinds("--min-certainty=certain", "package") == FOUND
    assert len(entries()) == 2


def test_comments_that_ignore_still_count(project: Path) -> None:
    text = PART.replace("print(x)", "print(x)  # graphmend: ignore[print-call] wanted")
    (project / "package" / "part.py").write_text(text)
    assert kinds("package") == []
    assert kinds("package") == []


def test_problems_are_told_again(project: Path) -> None:
    (project / "package" / "broken.py").write_text("def f(:\n")
    for _ in range(2):
        done = check("package")
        assert done.status == 2
        assert "package/broken.py:1:7: syntax-error" in done.errors


def test_nothing_is_kept_where_that_is_turned_off(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHMEND_CACHE", "")
    assert cache.findings() is None
    assert kinds("package") == FOUND
    monkeypatch.setenv("GRAPHMEND_CACHE", "/proc/nowhere")
    assert kinds("package") == FOUND
