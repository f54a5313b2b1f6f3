"""What a check finds, against marks in the sources: ``# finds: kind`` where there is a finding."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from check_support import CASES, check

MARK = re.compile(r"# finds: ([a-z-]+)$")


def marked(path: Path) -> set[tuple[int, str]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {
        (number, mark[1]) for number, line in enumerate(lines, 1) if (mark := MARK.search(line))
    }


@pytest.mark.parametrize("path", sorted(CASES.glob("*.py")), ids=lambda path: path.stem)
def test_finds_what_is_marked_and_nothing_else(path: Path) -> None:
    done = check("--format=json", str(path))
    found = {(one["line"], one["kind"]) for one in json.loads(done.output)}
    assert found == marked(path)
    assert done.status == 1


def test_tells_how_a_finding_is_reached() -> None:
    path = CASES / "calls.py"
    findings = json.loads(check("--format=json", str(path)).output)
    names = {
        " > ".join(call["function"] for call in one["reached_from"]): one["line"]
        for one in findings
    }
    assert "wrapper > Model.forward > by_value" in names
    last = next(one for one in findings if one["function"] == "by_value")
    assert last["reached_from"][-1]["line"] == last["line"]


def test_is_the_same_on_many_threads() -> None:
    one = check("--format=json", "--threads=1", str(CASES)).output
    assert check("--format=json", "--threads=4", str(CASES)).output == one


def test_what_another_operand_may_skip_is_not_certain() -> None:
    path = CASES / "tracing.py"
    lines = path.read_text(encoding="utf-8").splitlines()
    by_text = {
        lines[one["line"] - 1].split("  #")[0].strip(): one["certainty"]
        for one in json.loads(check("--format=json", str(path)).output)
    }
    assert by_text["if traced and x.sum() > 1:"] == "certain"
    assert by_text["if self.config.clamps and x.sum() > 2:"] == "likely"


def test_a_link_to_itself_ends_no_walk(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.py").write_text((CASES / "calls.py").read_text(encoding="utf-8"))
    (tmp_path / "0").symlink_to("0")
    (tmp_path / "b").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "z.py").write_text((CASES / "calls.py").read_text(encoding="utf-8"))
    found = json.loads(check("--format=json", str(tmp_path)).output)
    assert {Path(one["path"]).name for one in found} == {"a.py", "z.py"}
