"""Cells of notebooks are checked, each place named by its cell and the line in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from check_support import check
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

IMPORTS = "%matplotlib inline\nimport torch\n!pip list\nfiles = !ls"
MODEL = """\
class Model(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        %timeit x
        print(x)
        return x"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*cells: Any, path: str = "model.ipynb", **metadata: Any) -> None:
    notebook = new_notebook(cells=list(cells), metadata=metadata)
    nbformat.validate(notebook)
    nbformat.write(notebook, path)


def found(*arguments: str) -> list[tuple[int, int, int, str]]:
    findings = json.loads(check("--format=json", *(arguments or ("model.ipynb",))).output)
    return [(one["cell"], one["line"], one["column"], one["kind"]) for one in findings]


def test_a_finding_names_its_cell() -> None:
    write(new_code_cell(IMPORTS), new_markdown_cell("# Model"), new_code_cell(MODEL))
    assert found() == [(3, 4, 8, "print-call")]
    done = check("model.ipynb")
    assert done.status == 1
    assert "model.ipynb:cell 3:4:9: certain: `print` in traced code" in done.output
    assert "        print(x)\n            ^^^^^^^^" in done.output
    (finding,) = json.loads(check("--format=json", "model.ipynb").output)
    assert finding["reached_from"][-1]["cell"] == 3
    assert finding["reached_from"][-1]["line"] == 4


def test_folders_are_searched_for_notebooks(project: Path) -> None:
    write(new_code_cell(IMPORTS), new_code_cell(MODEL))
    kept = project / ".ipynb_checkpoints"
    kept.mkdir()
    (kept / "model-checkpoint.ipynb").write_text((project / "model.ipynb").read_text())
    assert found(".") == [(2, 4, 8, "print-call")]


def test_lines_of_the_file_are_those_of_its_json(project: Path) -> None:
    write(new_code_cell(IMPORTS), new_code_cell(MODEL))
    text = (project / "model.ipynb").read_text().splitlines()
    (result,) = json.loads(check("--format=sarif", "model.ipynb").output)["runs"][0]["results"]
    (location,) = result["locations"]
    region = location["physicalLocation"]["region"]
    assert "print(x)" in text[region["startLine"] - 1]
    assert "startColumn" not in region
    assert location["logicalLocations"] == [{"name": "cell 2"}]
    line = check("--format=github", "model.ipynb").output
    assert line.startswith(f"::error file=model.ipynb,line={region['startLine']},endLine=")
    assert "(cell 2, line 4)" in line


@pytest.mark.parametrize(
    "magic",
    [
        "%load_ext graphmend",
        "!ls \\\n  -l",
        "torch?",
        "torch.nn??",
        "?torch",
        "x = %pwd",
        "%%time\nx = 1",
        "%%bash\nfor f in *; do echo $f; done",
        "%%html\n<p>it's</p>",
        "x = '''\n%no magic\n'''",
        "x = [\n    1\n    % 2,\n]",
        "await something()",
    ],
)
def test_magics_are_no_errors_and_move_no_lines(magic: str) -> None:
    # A magic of a whole cell is one in its first line alone.
    first = "import torch" if magic.startswith("%%") else f"import torch\n{magic}"
    write(new_code_cell(first), new_code_cell(f"{magic}\n"), new_code_cell(MODEL))
    assert check("model.ipynb").errors == ""
    assert found() == [(3, 4, 8, "print-call")]


def test_a_cell_that_is_wrong_keeps_no_other_from_being_checked() -> None:
    write(new_code_cell(IMPORTS), new_code_cell("x = 1\ndef f(:"), new_code_cell(MODEL))
    done = check("model.ipynb")
    assert done.status == 2
    assert "model.ipynb:cell 2:2:7: syntax-error" in done.errors
    assert "model.ipynb:cell 3:4:9" in done.output


def test_comments_ignore_in_their_cell() -> None:
    ignored = MODEL.replace("print(x)", "print(x)  # graphmend: ignore[print-call] wanted")
    write(new_code_cell(IMPORTS), new_code_cell(ignored))
    assert check("model.ipynb").status == 0
    write(new_code_cell("x = 1  # graphmend: ignore[print-call] not"))
    assert "model.ipynb:cell 1:1:8: unused-ignore" in check("model.ipynb").errors


def test_other_languages_are_left_alone() -> None:
    language = {"kernelspec": {"name": "ir", "language": "R", "display_name": "R"}}
    write(new_code_cell("x <- function(a) a"), **language)
    assert check("model.ipynb").status == 0


def test_sources_may_be_one_text_and_hold_any_character(project: Path) -> None:
    write(new_code_cell(IMPORTS), new_code_cell(MODEL.replace("print(x)", "print('é😀', x)")))
    notebook = json.loads((project / "model.ipynb").read_text())
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
    for ascii_only in (True, False):
        text = json.dumps(notebook, ensure_ascii=ascii_only)
        (project / "model.ipynb").write_text(text)
        (finding,) = json.loads(check("--format=json", "model.ipynb").output)
        assert (finding["line"], finding["end_column"]) == (4, 8 + len("print('é😀', x)"))
        assert "print('é😀', x)" in check("model.ipynb").output


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"cells": [1]}', "no JSON"),
        ('{"worksheets": []}', "no cells"),
        ('{"cells": [{"cell_type": "code", "source": ["\\q"]}]}', "no JSON"),
    ],
)
def test_what_is_no_notebook_is_told(project: Path, text: str, says: str) -> None:
    (project / "model.ipynb").write_text(text)
    done = check("model.ipynb")
    assert done.status == 2
    assert says in done.errors


def test_an_empty_notebook_has_nothing() -> None:
    write()
    assert check("model.ipynb").status == 0
    write(new_code_cell(""), new_code_cell("\n\n"))
    assert check("model.ipynb").status == 0


def test_findings_of_a_notebook_are_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHMEND_CACHE", str(project / "kept"))
    write(new_code_cell(IMPORTS), new_code_cell("def f(:"), new_code_cell(MODEL))
    first = check("model.ipynb")
    second = check("model.ipynb")
    assert (first.status, first.output, first.errors) == (
        second.status,
        second.output,
        second.errors,
    )
    assert list((project / "kept").glob("check/*/*/*.findings"))
