"""``graphmend dump types``: what was inferred for a name can be asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from check_support import run

SOURCE = """\
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, size: int, scale=None):
        super().__init__()
        self.linear = nn.Linear(size, 1)
        self.scale = scale

    def forward(self, x: torch.Tensor, mask=None):
        y = self.linear(x)
        count = y.shape[0]
        positive = (y > 0).any()
        if positive:
            y = -y
        if mask is not None and isinstance(mask, torch.Tensor):
            y = y * mask
        return y, helper(count)


def helper(number):
    return number + 1


def unused(text: str):
    words = text.split()
    return words
"""


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    path = tmp_path / "model.py"
    path.write_text(SOURCE)
    done = run(["dump", "types", "--json", str(path)])
    assert done.status == 0
    found: dict[str, Any] = json.loads(done.output)
    return found


def places(document: dict[str, Any], function: str) -> list[dict[str, Any]]:
    (found,) = [one for one in document["functions"] if one["name"] == function]
    inner: list[dict[str, Any]] = found["places"]
    return inner


def types(document: dict[str, Any], function: str, text: str) -> list[str]:
    return [one["type"] for one in places(document, function) if one["text"] == text]


def test_names_have_the_types_of_what_is_bound_to_them(document: dict[str, Any]) -> None:
    assert set(types(document, "Model.forward", "count")) == {"int"}
    assert types(document, "Model.forward", "x")[0] == "Tensor"
    assert types(document, "Model.forward", "positive")[0] == "Tensor[bool, rank 0]"
    assert types(document, "helper", "number") == ["int", "int"]


def test_what_is_unknown_is_said_to_be(document: dict[str, Any]) -> None:
    (size,) = [one for one in places(document, "Model.__init__") if one["text"] == "size"][:1]
    assert size["may_be"] == ["int"]
    (mask,) = [one for one in places(document, "Model.forward") if one["text"] == "mask"][:1]
    assert mask["may_be"] is None
    assert mask["type"] == "unknown"


def test_tests_tell_whether_they_are_decided(document: dict[str, Any]) -> None:
    tests = {
        one["text"]: one["decided"] for one in places(document, "Model.forward") if "decided" in one
    }
    assert tests == {
        "positive": True,
        "mask is not None and isinstance(mask, torch.Tensor)": True,
    }


def test_narrowing_shows(document: dict[str, Any]) -> None:
    inner = [
        one["type"]
        for one in places(document, "Model.forward")
        if one["text"] == "mask" and one["line"] == 18
    ]
    assert inner == ["Tensor"]


def test_functions_that_no_forward_reaches_are_marked(document: dict[str, Any]) -> None:
    reached = {one["name"]: one["reached"] for one in document["functions"]}
    assert reached == {
        "Model.__init__": False,
        "Model.forward": True,
        "helper": True,
        "unused": False,
    }
    (unused,) = [one for one in document["functions"] if one["name"] == "unused"]
    assert unused["line"] == 26


def test_text_has_a_line_for_each_name(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(SOURCE)
    done = run(["dump", "types", str(path)])
    assert done.status == 0
    assert "Model.forward, line 11 -> tuple[Tensor, int]\n" in done.output
    assert "  13:9 count: int\n" in done.output
    assert "unused, line 26 (no forward leads to it)" in done.output


def test_imports_are_followed_and_errors_told(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("def number():\n    return 3\n")
    path = tmp_path / "model.py"
    path.write_text("from other import number\n\n\ndef f():\n    x = number()\n    return x\n")
    assert "f, line 4 (no forward leads to it) -> int" in run(["dump", "types", str(path)]).output
    path.write_text("def f(:\n")
    done = run(["dump", "types", str(path)])
    assert done.status == 1
    assert "1 error" in done.errors
    assert run(["dump", "types", str(tmp_path / "nowhere.py")]).status == 2
