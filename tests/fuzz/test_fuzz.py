"""A short run of each fuzz target under libFuzzer, where `make fuzz` has built them.

Everywhere else ctest replays the seeds, and mutates them, with a main of the project's own.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import fuzz
import pytest

SECONDS = 4
SEEDS = Path(__file__).parent / "seeds"


def test_every_target_has_seeds():
    assert {"edits", "lexer", "mends", "parser", "scopes"} <= set(fuzz.targets())
    for kind in ("text", "edits"):
        assert len(list((SEEDS / kind).iterdir())) > 10


def test_chunks_are_the_file():
    text = b"a\nif b:\n  c\n\nd\n"
    assert b"".join(fuzz.chunks(text)) == text
    assert list(fuzz.chunks(text)) == [b"a\n", b"if b:\n  c\n\n", b"d\n"]


@pytest.mark.parametrize("target", fuzz.targets())
def test_short_run(target):
    if problem := fuzz.missing():
        warnings.warn(f"NOT FUZZED, only seeds were tried: {problem}", stacklevel=1)
        pytest.skip(problem)
    if not (fuzz.BUILD / f"fuzz_{target}").exists():
        problem = "the fuzz targets were never built: make fuzz"
        warnings.warn(f"NOT FUZZED, only seeds were tried: {problem}", stacklevel=1)
        pytest.skip(problem)
    run = fuzz.fuzz(target, SECONDS, 64, 1, short=True)
    assert run.finding == ""
    assert run.executions > 100
