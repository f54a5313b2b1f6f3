"""What importing costs under the hook: transformers' BART plain, and with GRAPHMEND=1.

    python -m bench.imports [--rounds 9]

Each round imports in fresh processes, in turn: plain, with the hook and an empty cache, with the
hook and a cache that a compile filled. Figures are processor time, the least of all rounds, since
what else the machine does only adds. Beside it: what the hook itself spends in that process, which
noise does not hide, and the line of the ``.pth`` file where GRAPHMEND is not set.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import timeit
from typing import Any

from bench.workers import ROOT, environment

MODULE = "transformers.models.bart.modeling_bart"
COLD, WARM, LINE_MS = 0.03, 0.01, 1.0
"""What is allowed: shares of the import, and milliseconds for the line."""

_IMPORT = f"""\
import json, sys, time
spent = 0.0
if HOOK:
    start = time.process_time()
    from graphmend import hook
    hook.install_from_environment()
    patch = hook._patch
    def timed(torch):
        global spent
        begin = time.process_time()
        patch(torch)
        spent += time.process_time() - begin
    hook._patch = timed
    spent += time.process_time() - start
import {MODULE}
print(json.dumps([time.process_time(), spent]))
"""
_FILL = f"""\
import torch
from transformers import BartConfig, BartModel
model = BartModel(BartConfig(d_model=16, encoder_layers=1, decoder_layers=1, vocab_size=50,
    encoder_attention_heads=2, decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16))
from graphmend import mending
assert mending.mend(model).sites
import {MODULE}
"""


def run(program: str, **variables: str) -> str:
    """Run a program in a process of its own; what it printed last."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**environment(), **variables},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return (done.stdout.splitlines() or [""])[-1]


def measure(rounds: int) -> dict[str, tuple[float, float]]:
    """For each way the processor time of the import, and the hook's own in it, in milliseconds."""
    found: dict[str, list[Any]] = {"plain": [], "cold": [], "warm": []}
    with tempfile.TemporaryDirectory() as cold, tempfile.TemporaryDirectory() as warm:
        run(_FILL, GRAPHMEND_CACHE=warm)
        folders = {"plain": "", "cold": cold, "warm": warm}
        for _ in range(rounds):
            for way, folder in folders.items():
                program = _IMPORT.replace("HOOK", str(way != "plain"))
                # The line of the .pth file is left out: the program does the same, and times it.
                text = run(program, GRAPHMEND="0", GRAPHMEND_CACHE=folder)
                found[way].append(json.loads(text))
    return {
        way: (min(total for total, _ in all_) * 1000, min(own for _, own in all_) * 1000)
        for way, all_ in found.items()
    }


def line_ms() -> float:
    """How long the line of the ``.pth`` file takes where GRAPHMEND is not set."""
    line = (ROOT / "python" / "graphmend.pth").read_text(encoding="ascii").strip()
    setup = "import os; os.environ.pop('GRAPHMEND', None)"
    return min(timeit.repeat(line, setup, number=1, repeat=20)) * 1000


def main() -> int:
    """Print the table; 1 where a budget is exceeded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    figures = measure(parser.parse_args().rounds)
    plain = figures["plain"][0]
    print(f"import of {MODULE}, processor time")
    print(f"  plain: {plain:.0f} ms")
    good = True
    for way, budget in (("cold", COLD), ("warm", WARM)):
        total, own = figures[way]
        print(
            f"  hook, {way} cache: {total:.0f} ms ({total / plain - 1:+.2%}); "
            f"the hook's own: {own:.2f} ms ({own / plain:.2%}, allowed {budget:.0%})"
        )
        good &= own / plain < budget
    line = line_ms()
    print(f"  the line of the .pth file, GRAPHMEND unset: {line:.4f} ms (allowed {LINE_MS:g})")
    return int(not (good and line < LINE_MS))


if __name__ == "__main__":
    sys.exit(main())
