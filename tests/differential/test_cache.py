"""A warm process finds compiled graphs with conditionals in inductor's cache."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import torch, graphmend
from torch._dynamo.utils import counters

def choose(x, w):
    y = x * 2
    if y.sum() > 0:
        y = y @ w
    else:
        y = (y - 1) @ w.t()
    return y + 1

compiled = graphmend.compile(choose, fullgraph=True)
w = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
for x in (torch.tensor([[1.0, 2.0]]), torch.tensor([[-1.0, -2.0]])):
    assert torch.equal(compiled(x, w), choose(x, w))
(site,) = graphmend.report(compiled).sites
assert site.mend == "cond", site
found = counters["inductor"]
print(found["fxgraph_cache_hit"], found["fxgraph_cache_miss"], found["fxgraph_cache_bypass"])
"""


@pytest.mark.slow
def test_a_second_process_hits_the_cache(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    root = Path(__file__).resolve().parents[2]
    environment = {
        **os.environ,
        "PYTHONPATH": str(root / "python"),
        "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache"),
        "TORCHINDUCTOR_AUTOGRAD_CACHE": "0",
    }
    answers = [
        subprocess.run(
            [sys.executable, str(program)],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert answers == [["0", "1", "0"], ["1", "0", "0"]]
