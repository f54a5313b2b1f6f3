"""Memory over many compile-and-reset cycles of a small model, mended beside plain torch.compile.

    python -m bench.soak [--cycles 2000]
    python -m bench.soak --side plain|mended --cycles N      (a worker)

Each cycle makes a model with breaks, compiles it, calls it, and resets Dynamo. Growth is that of
the process's own memory from the first tenth of the cycles (when all is warm) to the end, and that
of live Python objects. The command fails where mending grows more than plain torch.compile does.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import io
import json
import subprocess
import sys
import warnings
from typing import Any

from bench.workers import ROOT, environment

ALLOWED_BYTES = 2 << 20
"""What mended may grow beyond plain: the steps in which an allocator asks for memory."""
ALLOWED_OBJECTS = 1000


def memory() -> int:
    """The process's own memory, without what it shares, in bytes."""
    with open("/proc/self/smaps_rollup", encoding="ascii") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line)
    return int(fields["Private_Dirty"].split()[0]) * 1024


def work(side: str, cycles: int) -> dict[str, Any]:
    """Run the cycles; what they cost."""
    import ctypes
    import time

    import torch

    from bench.soak_model import Model

    compile: Any = torch.compile
    if side == "mended":
        import graphmend

        compile = graphmend.compile
    guards: Any = importlib.import_module("torch._dynamo.guards")
    guards.profile_guard_manager = lambda *_: 0  # it only measures, and takes half of the time
    torch.set_num_threads(1)
    row = torch.ones(2, 4)
    trim = ctypes.CDLL(None).malloc_trim
    marks = []
    graphs = 0

    def backend(graph: torch.fx.GraphModule, inputs: list[Any]) -> Any:
        nonlocal graphs
        graphs += 1
        return graph.forward

    gc.collect()
    gc.freeze()  # what was imported is not looked at again and again
    start = time.perf_counter()
    for cycle in range(cycles):
        if cycle == cycles // 10:
            marks.append(_mark(trim))
        compiled = compile(Model(), backend=backend)
        with contextlib.redirect_stdout(io.StringIO()):
            compiled(row)
        torch._dynamo.reset()
    marks.append(_mark(trim))
    return {
        "side": side,
        "graphs": graphs / cycles,
        "ms": (time.perf_counter() - start) / cycles * 1000,
        "memory": [mark[0] for mark in marks],
        "objects": [mark[1] for mark in marks],
    }


def _mark(trim: Any) -> tuple[int, int]:
    for _ in range(3):
        gc.collect()
    trim(0)
    return memory(), len(gc.get_objects())


def measure(side: str, cycles: int) -> dict[str, Any]:
    """A worker's figures."""
    command = [sys.executable, "-m", "bench.soak", "--side", side, "--cycles", str(cycles)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), stdout=subprocess.PIPE, text=True, check=True
    )
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def main() -> int:
    """Measure both sides, or be the worker of one."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cycles", type=int, default=2000)
    parser.add_argument("--side", choices=("plain", "mended"))
    options = parser.parse_args()
    if options.side:
        warnings.simplefilter("ignore")
        print(json.dumps(work(options.side, options.cycles)))
        return 0
    grown = {}
    print(f"{options.cycles} cycles of compile, call and reset")
    for side in ("plain", "mended"):
        figures = measure(side, options.cycles)
        (before, after), (first, last) = figures["memory"], figures["objects"]
        grown[side] = after - before, last - first
        print(
            f"{side:>7}: {figures['graphs']:.0f} graphs and {figures['ms']:.1f} ms a cycle; memory "
            f"{before / 2**20:.1f} -> {after / 2**20:.1f} MiB ({(after - before) / 2**20:+.2f}), "
            f"objects {first} -> {last} ({last - first:+d})"
        )
    more = grown["mended"][0] - max(0, grown["plain"][0])
    objects = grown["mended"][1] - max(0, grown["plain"][1])
    leaks = more > ALLOWED_BYTES or objects > ALLOWED_OBJECTS
    print(
        f"mended grows {max(0, more) / 2**20:.2f} MiB and {max(0, objects)} objects more: "
        + ("IT LEAKS" if leaks else "nothing leaks")
    )
    return int(leaks)


if __name__ == "__main__":
    sys.exit(main())
