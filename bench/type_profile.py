"""Inferred types against the values of real runs, over the rows' models.

    python -m bench.type_profile [ROW ...] [--newer] [--keep DIR]

Each model makes one eager call under a trace that looks at each parameter of a function of an
installed package (torch aside), and at each local variable after the line that binds it: its
class, a tensor's dtype and rank, and small constants. ``graphmend dump types`` says for the same
place what may be there. A value that it leaves no room for is a contradiction. Beside it: how many
of the tests of branches, loops and assertions in functions that a forward reaches are decided,
surely on a tensor or surely not. ``--newer`` takes ``bench.architectures`` with the Python of
``.venv5``; ``--keep`` leaves the profiles in a folder, and takes from it what is there.
"""

from __future__ import annotations

import dis
import json
import subprocess
import sys
import types
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

from bench import observing
from bench.workers import ROOT, environment

Seen = dict[str, Any]
"""What a value was: its classes, and of a tensor dtype and rank; of a small one itself."""

_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (torch.Tensor, "Tensor"),
    (type(None), "None"),
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (complex, "complex"),
    (str, "str"),
    (bytes, "bytes"),
    (tuple, "tuple"),
    (list, "list"),
    (dict, "dict"),
    ((set, frozenset), "set"),
    (slice, "slice"),
    ((torch.dtype, torch.device, torch.finfo, torch.iinfo), "dtype"),
    (
        (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType),
        "callable",
    ),
)


def summary(value: object) -> Seen:
    """The value, described."""
    kind = next((name for classes, name in _KINDS if isinstance(value, classes)), "other")
    seen: Seen = {"kind": kind, "exact": type(value).__module__ in ("builtins", "torch")}
    if isinstance(value, torch.Tensor):
        seen["dtype"] = (
            "bool"
            if value.dtype == torch.bool
            else "complex"
            if value.dtype.is_complex
            else "float"
            if value.dtype.is_floating_point
            else "int"
        )
        seen["rank"] = value.dim()
    elif isinstance(value, (bool, int)) and type(value) in (bool, int):
        seen["constant"] = str(value)
    return seen


def _stores(code: CodeType) -> dict[int, set[str]]:
    """The local variables that each line binds."""
    found: dict[int, set[str]] = defaultdict(set)
    for instruction in dis.get_instructions(code):
        place = instruction.positions
        if instruction.opname == "STORE_FAST" and place is not None and place.lineno is not None:
            found[place.lineno].add(str(instruction.argval))
    return found


class Profile:
    """Values by place: path, line (0 for parameters), function, name."""

    def __init__(self) -> None:
        self.places: dict[tuple[str, int, str, str], dict[str, Seen]] = defaultdict(dict)
        self._stores: dict[CodeType, dict[int, set[str]]] = {}

    def add(self, code: CodeType, line: int, name: str, value: object) -> None:
        """Note a value."""
        seen = summary(value)
        known = self.places[code.co_filename, line, code.co_qualname, name]
        if len(known) < 20:
            known[json.dumps(seen, sort_keys=True)] = seen

    def trace(self, frame: FrameType, event: str, _: Any) -> Any:
        """For sys.settrace."""
        code = frame.f_code
        if event != "call" or not observing.of_users(code.co_filename):
            return None
        stores = self._stores.get(code)
        if stores is None:
            stores = self._stores[code] = _stores(code)
            count = code.co_argcount + code.co_kwonlyargcount
            for name in code.co_varnames[:count]:
                if name in frame.f_locals:
                    self.add(code, 0, name, frame.f_locals[name])
        return self._local(code, stores)

    def _local(self, code: CodeType, stores: dict[int, set[str]]) -> Callable[..., Any]:
        last = 0

        def local(frame: FrameType, event: str, argument: Any) -> Any:
            nonlocal last
            if event == "exception":
                last = 0
                return local
            if last in stores and (event == "return" or frame.f_lineno != last):
                values = frame.f_locals
                for name in stores[last]:
                    if name in values:
                        self.add(code, last, name, values[name])
            last = frame.f_lineno if event == "line" else 0
            return local

        return local


def observe(name: str, newer: bool) -> list[Any]:
    """The profile of a row."""
    make: Callable[[], torch.nn.Module]
    if newer:
        from bench.architectures import architecture_named

        make, feed = architecture_named(name)
    else:
        from bench.models import row_named

        row = row_named(name)
        make, feed = row.build, row.inputs
    profile = Profile()
    with torch.no_grad():
        model, inputs = make(), feed()
        sys.settrace(profile.trace)
        try:
            model(**inputs)
        finally:
            sys.settrace(None)
    return [[*place, list(seen.values())] for place, seen in sorted(profile.places.items())]


def contradicts(place: dict[str, Any], seen: Seen) -> bool:
    """Whether an inferred type has no room for a value."""
    may_be = place["may_be"]
    if may_be is None:
        return False
    kinds = {seen["kind"]}
    if not seen["exact"] or seen["kind"] == "other":
        kinds |= {"instance", "other", "iterator", "callable", "ndarray"}
    if seen["kind"] == "bool":
        kinds.add("int")  # as classes of Python have it
    if not kinds & set(may_be):
        return True
    if seen["kind"] == "Tensor":
        known = ("dtype", "rank")
        return any(place.get(fact, seen[fact]) != seen[fact] for fact in known)
    constant = place["type"].partition(" = ")[2].partition(" ")[0]
    return bool(constant) and seen.get("constant", constant) != constant


def inferred(path: str, python: Path) -> list[dict[str, Any]]:
    """The functions of a file as ``graphmend dump types`` describes them."""
    command = [str(python), "-m", "graphmend.cli", "dump", "types", "--json", path]
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=ROOT, env=environment(), check=False)
    found: list[dict[str, Any]] = json.loads(done.stdout)["functions"]
    return found


class Report:
    """Counts, and what contradicts."""

    def __init__(self) -> None:
        self.places: set[tuple[str, int, str, str]] = set()
        self.values = self.known = self.tests = self.decided = 0
        self.wrong: list[str] = []

    def compare(self, path: str, functions: list[dict[str, Any]], profile: list[Any]) -> None:
        """Compare what was inferred of a file with what was seen in it."""
        by_binding: dict[tuple[int, str], dict[str, Any]] = {}
        by_parameter: dict[tuple[str, str], dict[str, Any]] = {}
        for function in functions:
            for place in function["places"]:
                if function["reached"] and "decided" in place:
                    self.tests += 1
                    self.decided += place["decided"]
                if place["binding"]:
                    by_binding[place["line"], place["text"]] = place
                    by_parameter.setdefault((function["name"], place["text"]), place)
        for line, function_name, name, values in profile:
            found = (
                by_binding.get((line, name)) if line else by_parameter.get((function_name, name))
            )
            if found is None:
                continue
            self.places.add((path, line, function_name, name))
            self.known += found["may_be"] is not None
            for seen in values:
                self.values += 1
                if contradicts(found, seen):
                    self.wrong.append(
                        f"{path}:{line or found['line']}: {function_name}: {name} is "
                        f"{seen['kind']} {seen.get('dtype', '')} {seen.get('rank', '')} "
                        f"{seen.get('constant', '')}, inferred {found['type']}"
                    )

    def lines(self) -> list[str]:
        """The table."""
        share = 100 * self.decided / max(1, self.tests)
        return [
            f"places with a value and a type: {len(self.places)}",
            f"of these with a type that says something, each model's: {self.known}",
            f"values compared: {self.values}",
            f"contradictions: {len(self.wrong)}",
            f"tests decided: {self.decided} of {self.tests} ({share:.1f} %)",
            *sorted(set(self.wrong)),
        ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    given = observing.parse(arguments, __doc__, observe)
    if given is None:
        return 0
    by_path: dict[str, list[Any]] = defaultdict(list)
    models = 0
    for places in observing.observed("bench.type_profile", given):
        models += bool(places)
        for path, *place in places:
            by_path[path].append(place)
    report = Report()
    for path, profile in sorted(by_path.items()):
        if Path(path).is_file():
            report.compare(path, inferred(path, given.python), profile)
    print("\n".join([f"models: {models}", *report.lines()]))
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
