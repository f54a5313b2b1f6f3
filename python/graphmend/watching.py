"""What a run shows of each compiled callable: its graphs, where a call's time goes, recompiles.

Recording is on while ``graphmend explain`` or :func:`graphmend.explain` runs, and costs nothing
else. A program can be watched mended or, with :attr:`Mode.plain`, as it is under ``torch.compile``.
All times are those of the host. Nothing here imports torch: a program does that when it wants to.
"""

from __future__ import annotations

import contextlib
import functools
import re
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import torch

    from graphmend.evidence import Break
    from graphmend.mending import Mending

_KEPT = 64
"""How many of the last calls are kept for the times."""
_FRAME = re.compile(r'File "(.+?)", line (\d+), in ')
_LONGEST = 20_000
"""How much of a graph's text is kept."""


@dataclass
class Mode:
    """How this process is watched."""

    on: bool = False
    plain: bool = False
    """Whether callables are compiled as plain ``torch.compile`` does."""
    watches: list[Watch] = field(default_factory=list)


mode = Mode()


@dataclass
class Graph:
    """One graph that the backend was given."""

    operators: int
    lines: list[tuple[str, int, int]]
    """The user's lines that its operators come from: path, line, how many."""
    text: str
    ended_by: tuple[str, int, str] | None
    """The break that ended it: path, line, and Dynamo's kind."""


@dataclass
class Call:
    """One call, its times in milliseconds from its beginning."""

    ms: float
    segments: list[tuple[int, float, float]]
    """The graphs that ran: number, begin, end."""
    compiled: bool
    """Whether something was compiled in it, which its times hold then, or it raised."""


@dataclass
class Recompile:
    """A function that was compiled again, since something was not as before."""

    path: str
    line: int
    function: str
    what: str
    cure: str
    count: int = 1


class Watch:
    """What is seen of one compiled callable."""

    def __init__(self, model: Any, result: Mending) -> None:
        model = _plain(model)
        self.name = getattr(model, "__qualname__", type(model).__qualname__)
        self.path, self.line = _place(model)
        self.result = result
        self.graphs: list[Graph] = []
        self.calls: list[Call] = []
        self.number = 0
        self.recompiles: dict[tuple[str, int, str], Recompile] = {}
        self.running = False
        self._begun = 0.0
        self._segments: list[tuple[int, float, float]] = []
        mode.watches.append(self)

    def __deepcopy__(self, _: object) -> Watch:
        return self

    def __reduce__(self) -> Any:
        return type(None), ()

    def run(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Make a call, and keep where its time went."""
        self.running, self._segments = True, []
        traces = self._traces()
        self._begun = time.perf_counter()
        failed = True
        try:
            result = function(*args, **kwargs)
            failed = False
            return result
        finally:
            ms = (time.perf_counter() - self._begun) * 1000
            self.running = False
            self.number += 1
            self.calls.append(Call(ms, self._segments, failed or self._traces() != traces))
            del self.calls[:-_KEPT]

    def _traces(self) -> tuple[int, int]:
        return self.result.evidence.traces, len(self.graphs)

    def graph(self, graph: torch.fx.GraphModule, compiled: Any) -> Any:
        """Enter a graph; returns what is to run in its place, which notes when it runs."""
        number = len(self.graphs)
        evidence = self.result.evidence
        ended, evidence.last = evidence.last, None
        self.graphs.append(_graph(graph, ended))

        @functools.wraps(compiled)
        def run(*arguments: Any) -> Any:
            begin = time.perf_counter()
            try:
                return compiled(*arguments)
            finally:
                end = time.perf_counter()
                self._segments.append(
                    (number, (begin - self._begun) * 1000, (end - self._begun) * 1000)
                )

        return run

    def recompiled(self, code: Any, function: str, reason: str, scope: dict[str, Any]) -> None:
        """Note that a function was compiled again, in which ``scope`` are the names."""
        first = reason.partition(": ")[2].splitlines() or [reason]
        what, cure = changed(first[0].partition("  #")[0].strip(), scope)
        key = code.co_filename, code.co_firstlineno, what
        known = self.recompiles.get(key)
        if known is None:
            self.recompiles[key] = Recompile(
                code.co_filename, code.co_firstlineno, function, what, cure
            )
        else:
            known.count += 1

    def as_dict(self) -> dict[str, Any]:
        """All of it, as JSON can hold it."""
        steady = [call for call in self.calls if not call.compiled]
        chosen = sorted(steady, key=lambda call: call.ms)[len(steady) // 2] if steady else None
        return {
            "callable": self.name,
            "path": self.path,
            "line": self.line,
            "calls": self.number,
            "graphs": [vars(graph) for graph in self.graphs],
            "step": vars(chosen) if chosen is not None else None,
            "lost": self._lost(chosen) if chosen is not None else [],
            "recompiles": [vars(item) for item in self.recompiles.values()],
        }

    def _lost(self, call: Call) -> list[tuple[str, int, str, float]]:
        """For each break the time in Python between the graphs around it, in that call.

        What comes after a graph that no break ended has no place.
        """
        spent: dict[tuple[str, int, str], float] = {}
        for index, (number, _, end) in enumerate(call.segments):
            following = call.segments[index + 1 : index + 2]
            key = self.graphs[number].ended_by or ("", 0, "")
            until = following[0][1] if following else call.ms
            spent[key] = spent.get(key, 0.0) + until - end
        return [(*key, value) for key, value in spent.items()]


def _plain(model: Any) -> Any:
    """What a callable was before it was compiled."""
    inner = getattr(model, "_orig_mod", None)
    return getattr(model, "_torchdynamo_orig_callable", model) if inner is None else inner


def _place(model: Any) -> tuple[str, int]:
    function = getattr(model, "forward", model)
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    return (code.co_filename, code.co_firstlineno) if code is not None else ("", 0)


def _graph(graph: torch.fx.GraphModule, ended: Break | None) -> Graph:
    from graphmend import reach

    lines: Counter[tuple[str, int]] = Counter()
    count = 0
    for node in graph.graph.nodes:
        if node.op in ("placeholder", "output", "get_attr"):
            continue
        count += 1
        for path, line in reversed(_FRAME.findall(node.meta.get("stack_trace") or "")):
            if not reach.is_foreign(path):
                lines[path, int(line)] += 1
                break
    return Graph(
        count,
        [(path, line, number) for (path, line), number in sorted(lines.items())],
        str(graph.code).strip()[:_LONGEST],
        (ended.path, ended.line, ended.kind) if ended is not None else None,
    )


@contextlib.contextmanager
def watching(plain: bool = False) -> Iterator[list[Watch]]:
    """Watch what is compiled in this context; gives the list that it is entered in."""
    before = mode.on, mode.plain, mode.watches
    mode.on, mode.plain, mode.watches = True, plain, []
    try:
        yield mode.watches
    finally:
        mode.on, mode.plain, mode.watches = before


_SIZE = re.compile(r"tensor '(.+)' size mismatch at index (\d+)\. expected (\S+), actual (\S+)")
_TENSOR = re.compile(r"tensor '(.+)' (.+) mismatch\. expected (.+), actual (.+)")
_EQUAL = re.compile(r"(?P<what>[^=!<>]+?) == (?P<was>.+)$")
_KEEP = "call it with the same kind of tensor, or compile once for each kind"


def changed(reason: str, scope: dict[str, Any]) -> tuple[str, str]:
    """What a failed guard says in words, and what to do so that it does not fail."""
    size = _SIZE.match(reason)
    if size is not None:
        name, index, was, now = size.groups()
        return (
            f"size {index} of {name} was {was}, is {now}",
            f"say beforehand that it changes: torch._dynamo.mark_dynamic({name}, {index}), "
            "or compile with dynamic=True; or pad to few sizes",
        )
    tensor = _TENSOR.match(reason)
    if tensor is not None:
        name, what, was, now = tensor.groups()
        return f"{what} of {name} was {was}, is {now}", f"{_KEEP} of {what}"
    if reason.startswith("GLOBAL_STATE changed:"):
        what = reason.partition(":")[2].strip()
        return f"{what} of torch changed", f"make all calls with the same {what}"
    equal = _EQUAL.match(reason)
    if equal is not None:
        what, was = equal["what"].strip(), equal["was"].strip()
        return f"{what} was {was}, is {_now(what, scope)}", _cure_of_number(what, was)
    return reason, "keep it the same from call to call"


def _cure_of_number(what: str, was: str) -> str:
    if what.startswith("len("):
        return f"keep {what} the same, or pass its items as one tensor"
    try:
        float(was)
    except ValueError:
        return f"pass the same {what}, or compile a function for each"
    if was in ("True", "False"):
        return f"pass the same {what}, or compile a function for each"
    return f"pass {what} as a tensor: torch.tensor({what})"


def _now(what: str, scope: dict[str, Any]) -> str:
    try:
        return repr(eval(what, dict(scope)))[:80]
    except Exception:
        return "something else"
