"""For tests: compile with mends and fail where a graph still breaks; the same as an assertion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from graphmend.compiler import compile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


def mend(target: Any, **arguments: Any) -> Any:
    """:func:`graphmend.compile` with ``fullgraph=True``, and ``backend="eager"`` by default."""
    return compile(target, **{"backend": "eager", "fullgraph": True, **arguments})


class _Counting:
    """The backend ``eager``, which counts graphs and calls."""

    def __init__(self) -> None:
        self.graphs = 0
        self.calls = 0

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        self.graphs += 1

        def run(*arguments: Any) -> Any:
            self.calls += 1
            return graph.forward(*arguments)

        return run


def assert_whole(
    model: Any,
    inputs: tuple[Any, ...] | Mapping[str, Any] | Sequence[Any],
    *,
    max_recompiles: int = 0,
    **arguments: Any,
) -> None:
    """Assert that each call of ``model``, mended and compiled, is one graph.

    ``inputs`` is a tuple of positional arguments or a mapping of keyword arguments for one call, or
    a list of such for calls in turn. Compiling again after the first call counts against
    ``max_recompiles``. ``arguments`` go to :func:`graphmend.compile`. What is compiled is a view of
    the model: the model itself stays as it is, but for what its calls do to it.

    Raises :class:`AssertionError` that lists each break at its line, with what to do about it.
    """
    __tracebackhide__ = True
    from graphmend import reports

    calls = list(inputs) if isinstance(inputs, list) else [inputs]
    if not calls:
        raise ValueError("inputs is empty: there is no call to look at")
    torch._dynamo.reset()
    backend = _Counting()
    compiled = compile(model, **{"backend": backend, **arguments})
    problems = []
    first = 0
    for number, call in enumerate(calls):
        backend.calls, graphs = 0, backend.graphs
        if isinstance(call, dict):
            compiled(**call)
        else:
            compiled(*(call if isinstance(call, (tuple, list)) else (call,)))
        if backend.calls != 1:
            what = "nothing was compiled" if not backend.calls else f"{backend.calls} graphs ran"
            problems.append(f"call {number}: {what}, not one")
        if number == 0:
            first = backend.graphs
        elif backend.graphs != graphs:
            problems_of = backend.graphs - graphs
            problems.append(f"call {number}: {problems_of} graphs were compiled again")
    again = backend.graphs - first
    broken = [text for text in problems if not text.endswith("again")]
    report = reports.report(compiled)
    if not broken and not report.breaks and again <= max_recompiles:
        return
    lines = [f"{_name(model)} is not whole"]
    if again > max_recompiles:
        lines.append(f"{again} recompiles, where {max_recompiles} are allowed")
    else:
        problems = broken
    lines += [*problems, *report.explained]
    raise AssertionError("\n".join(lines))


def _name(model: Any) -> str:
    return getattr(model, "__qualname__", None) or type(model).__qualname__
