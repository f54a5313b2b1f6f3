"""Random programs, mended and compiled, do what they do by themselves.

``GRAPHMEND_RANDOM=FIRST:LAST`` runs these seeds instead of the few that every run tries.
"""

from __future__ import annotations

import os

import graphmend
import pytest
import torch

from tests.differential import generate, harness

SEEDS = range(*map(int, os.environ.get("GRAPHMEND_RANDOM", "0:12").split(":")))


@pytest.mark.parametrize("seed", SEEDS)
def test_random_program(tmp_path, seed):
    torch._dynamo.reset()
    path = tmp_path / f"random_{seed}.py"
    path.write_text(generate.program(seed))
    program = harness.Program(path)

    def compiled(target):
        return graphmend.compile(target, backend="eager")

    wanted = harness.run(program, lambda target: target, training=False)
    got = harness.run(program, compiled, training=False)
    torch._dynamo.reset()
    assert harness.differences(wanted, got) == [], generate.program(seed)
