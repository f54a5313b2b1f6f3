"""Reproducers: a call that differed from the original, as a folder that can be run elsewhere.

The folder holds the sources of the functions, the state and the inputs as they were before the
call, and a description of the environment. Like every pickle, it is to be run only where its
origin is trusted.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import platform
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmend.snapshots import Snapshot
    from graphmend.verify import Verifier

_DESCRIPTION = "reproducer.json"
_INPUTS = "inputs.pt"
_MAIN = "__graphmend_main__"


def folder() -> Path:
    """Where reproducers are written."""
    from graphmend import cache

    given = os.environ.get("GRAPHMEND_REPRODUCERS")
    return Path(given) if given else cache.root() / "reproducers"


def write(
    difference: str,
    verifier: Verifier,
    before: Snapshot,
    original: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Path:
    """Write the reproducer of a call; the state of the program stays as it is."""
    from graphmend import snapshots, verify

    name = hashlib.sha256(
        repr((difference, sorted(verifier.result.files()), os.getpid())).encode()
    ).hexdigest()[:12]
    place = folder() / name
    shutil.rmtree(place, ignore_errors=True)
    (place / "sources").mkdir(parents=True)
    modules = _sources(place, verifier.result.files())
    missing = ""
    with verify.originals():
        after = snapshots.Snapshot(before.state)
        before.restore()
        try:
            random = snapshots.RandomState()
            saved = {
                "callable": original,
                "args": args,
                "kwargs": kwargs,
                "random": (random.python, random.cpu, random.numpy),
                "grad": torch.is_grad_enabled(),
            }
            try:
                torch.save(saved, place / _INPUTS)
            except Exception as problem:
                missing = f"{type(problem).__name__}: {problem}"
                (place / _INPUTS).unlink(missing_ok=True)
        finally:
            after.restore()
    description = {
        "difference": difference,
        "modules": modules,
        "inputs missing": missing,
        "compile": {key: _plain(value) for key, value in verifier.options.items()},
        "sites": [
            {"path": s.path, "line": s.line, "kind": s.kind, "mend": s.mend, "id": s.id}
            for s in verifier.result.sites
            if s.used
        ],
        "environment": environment(),
    }
    (place / _DESCRIPTION).write_text(json.dumps(description, indent=1))
    return place


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str, type(None))) else repr(value)


def environment() -> dict[str, str]:
    """What of this machine and process matters for the outcome."""
    import graphmend

    return {
        "graphmend": graphmend.__version__,
        "torch": torch.__version__,
        "python": sys.version,
        "platform": platform.platform(),
        "threads": str(torch.get_num_threads()),
        "arguments": " ".join(sys.argv),
    }


def _sources(place: Path, files: set[str]) -> dict[str, dict[str, str]]:
    """Copy the files; tells for each module its copy and its original path."""
    by_file = {getattr(m, "__file__", None): name for name, m in list(sys.modules.items())}
    found = {}
    for number, path in enumerate(sorted(files)):
        name = by_file.get(path)
        if name is None or not os.path.isfile(path):
            continue
        copy = f"sources/{number}_{os.path.basename(path)}"
        shutil.copyfile(path, place / copy)
        found[name] = {"copy": copy, "path": path}
    return found


USAGE = "usage: graphmend replay FOLDER"


def main(arguments: Sequence[str]) -> int:
    """The command: 1 when the calls differ (still), 0 when they agree, 2 when it can't be run."""
    if list(arguments) in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    place = Path(arguments[0])
    try:
        description = json.loads((place / _DESCRIPTION).read_text())
    except (OSError, ValueError) as problem:
        print(f"graphmend replay: {place} is no reproducer: {problem}", file=sys.stderr)
        return 2
    if description["inputs missing"]:
        print(
            "graphmend replay: the inputs could not be saved: " + description["inputs missing"],
            file=sys.stderr,
        )
        return 2
    for key, value in environment().items():
        if value != description["environment"][key] and key != "arguments":
            print(f"{key}: here {value}, there {description['environment'][key]}")
    difference = replay(place, description)
    if difference:
        print(f"the mended call differs: {difference}")
        return 1
    print(f"the mended call agrees with the original (it differed: {description['difference']})")
    return 0


def replay(place: Path, description: dict[str, Any]) -> str:
    """Make the call in both ways; the difference, empty when there is none."""
    import random
    import warnings

    from graphmend import reports, verify
    from graphmend.compiler import compile

    for name, where in description["modules"].items():
        _load(name, str((place / where["copy"]).resolve()))
    saved = torch.load(place / _INPUTS, weights_only=False)
    python, cpu, numpy = saved["random"]
    random.setstate(python)
    torch.set_rng_state(cpu)
    if numpy is not None:
        importlib.import_module("numpy.random").set_state(numpy)
    options = {
        key: value
        for key, value in description["compile"].items()
        if key in ("backend", "mode", "dynamic", "fullgraph") and value is not None
    }
    os.environ["GRAPHMEND_REPRODUCERS"] = str(place / "again")
    target = saved["callable"]
    owner = getattr(target, "__self__", None)
    if isinstance(owner, torch.nn.Module):
        target = owner
    if options.get("backend") not in torch._dynamo.list_backends(exclude_tags=None):
        options["backend"] = "eager"
    with (
        torch.set_grad_enabled(saved["grad"]),
        warnings.catch_warnings(record=True) as told,
    ):
        warnings.simplefilter("always")
        compiled = compile(target, verify="always", **options)
        try:
            compiled(*saved["args"], **saved["kwargs"])
        except Exception as problem:
            print(f"the original raises {type(problem).__name__}: {problem}")
    for item in told:
        if issubclass(item.category, verify.DifferenceWarning):
            return reports.report(compiled).off
    return ""


def _load(name: str, path: str) -> None:
    """Import a copied source under the name of its module."""
    shown = _MAIN if name == "__main__" else name
    parent, _, last = shown.rpartition(".")
    if parent:
        importlib.import_module(parent)
    spec = importlib.util.spec_from_file_location(shown, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[shown] = module
    spec.loader.exec_module(module)
    if name == "__main__":
        main_module = sys.modules["__main__"]
        for key, value in vars(module).items():
            if not key.startswith("__"):
                setattr(main_module, key, value)
    elif parent:
        setattr(sys.modules[parent], last, module)
