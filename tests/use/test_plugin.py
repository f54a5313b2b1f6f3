"""The pytest plugin, in a project that uses it."""

from __future__ import annotations

import pytest

from tests.use.programs import LIBRARY, python, write

TESTS = """\
import sys

import torch
from graphmend.testing import assert_whole as check
from library import Model


class Broken(torch.nn.Module):
    def forward(self, x):
        x = x + 1
        return x * sys.getrefcount(x)


class Sized(torch.nn.Module):
    def forward(self, x, *, scale=1):
        return x * scale


def test_whole(assert_whole):
    assert_whole(Model(), (torch.ones(1, 2),))
    assert_whole(Model(), [(torch.ones(1, 2),), (-torch.ones(1, 2),)])
    check(Sized(), {"x": torch.ones(2), "scale": 2})


def test_broken(assert_whole):
    assert_whole(Broken(), (torch.ones(2),))


def test_recompiles(assert_whole):
    calls = [{"x": torch.ones(2), "scale": scale} for scale in ("a" * 0 or 1.5, 2.5)]
    calls = [(torch.ones(size),) for size in (2, 3)]
    assert_whole(Sized(), calls, max_recompiles=1)
    assert_whole(Sized(), calls)


def test_nothing_compiled(assert_whole):
    assert_whole(lambda x: x, (1,))
"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("project")
    write(folder, library=LIBRARY, test_models=TESTS)
    result = python(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "graphmend.pytest_plugin"),
        cwd=folder,
    )
    return result.stdout


def test_counts(shown):
    assert "3 failed, 1 passed" in shown


def test_a_break_is_readable(shown):
    assert "Broken is not whole" in shown
    assert "call 0: 2 graphs ran, not one" in shown
    assert "test_models.py:11 in forward: return x * sys.getrefcount(x)" in shown
    assert "what to do:" in shown
    assert "testing.py" not in shown, "the failure is at the test's line"


def test_recompiles_are_counted(shown):
    assert "1 recompiles, where 0 are allowed" in shown
    assert "call 1: 1 graphs were compiled again" in shown


def test_nothing_compiled(shown):
    assert "nothing was compiled" in shown
