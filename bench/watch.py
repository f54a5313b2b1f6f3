"""What Dynamo does while a model is compiled and run: graphs, breaks, frames compiled or given up.

The public counters say how often, not where. ``watch()`` therefore wraps two methods of Dynamo,
and nothing else, for the length of a ``with``: the one that logs a break, and the one that converts
a frame. A frame counts as skipped when Dynamo gives it up (as in its ``frames`` counters), not when
there was nothing to compile in it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch
import torch._dynamo
from torch._dynamo import convert_frame, symbolic_convert

_GIVEN_UP = ("an error was suppressed", "compilation failed")


def short(path: str) -> str:
    """A path without what differs from machine to machine, where it lies below a library."""
    return re.sub(r"^.*/(?:site-packages|dist-packages|python3\.\d+)/", "", path)


@dataclass(frozen=True)
class Break:
    """One break event: what Dynamo said, and the source line that it was at."""

    kind: str
    reason: str
    path: str
    line: int
    function: str
    code: str

    def __str__(self) -> str:
        where = f"{short(self.path)}:{self.line}"
        return f"{self.kind} at {where} in {self.function}: {self.code}"


@dataclass
class Watch:
    """Counts since the start; ``frames`` and ``skipped`` name the code of each frame."""

    graphs: list[torch.fx.GraphModule] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    frames: list[str] = field(default_factory=list)
    calls: int = 0

    def backend(
        self, graph: torch.fx.GraphModule, inputs: list[torch.Tensor]
    ) -> Callable[..., Any]:
        """Dynamo's own ``eager`` backend, which counts its graphs and the calls of what it made."""
        run = graph.forward
        self.graphs.append(graph)

        def counted(*args: Any) -> Any:
            self.calls += 1
            return run(*args)

        return counted

    def operators(self) -> int:
        """Call nodes over all graphs, those of their branches and loop bodies included."""
        modules = [module for graph in self.graphs for module in graph.modules()]
        return sum(
            node.op in ("call_function", "call_method", "call_module")
            for module in modules
            if isinstance(module, torch.fx.GraphModule)
            for node in module.graph.nodes
        )


def _break_of(reason: str, error: Any) -> Break:
    stack = list(getattr(error, "real_stack", None) or torch._guards.TracingContext.extract_stack())
    last = stack[-1] if stack else None
    return Break(
        kind=str(getattr(error, "gb_type", "") or type(error).__name__),
        reason=reason,
        path=last.filename if last else "",
        line=(last.lineno or 0) if last else 0,
        function=last.name if last else "",
        code=(last.line or "") if last else "",
    )


@contextlib.contextmanager
def watch() -> Iterator[Watch]:
    """Watch Dynamo in this process."""
    seen = Watch()
    log_graph_break = symbolic_convert.InstructionTranslatorBase.log_graph_break
    convert = convert_frame.ConvertFrame.__call__

    def logging_break(self: Any, code_options: Any, reason: str, exc: Any) -> None:
        if not exc.logged:
            seen.breaks.append(_break_of(reason, exc))
        log_graph_break(self, code_options, reason, exc)

    def converting(self: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        code = frame.f_code
        where = f"{code.co_name} ({short(code.co_filename)}:{code.co_firstlineno})"
        try:
            result = convert(self, frame, *args, **kwargs)
        except BaseException:
            seen.skipped.append(where)
            raise
        if result.guarded_code is not None:
            seen.frames.append(where)
        elif (result.skip_reason or "").startswith(_GIVEN_UP):
            seen.skipped.append(where)
        return result

    symbolic_convert.InstructionTranslatorBase.log_graph_break = logging_break  # type: ignore[method-assign]
    convert_frame.ConvertFrame.__call__ = converting  # type: ignore[method-assign]
    try:
        yield seen
    finally:
        symbolic_convert.InstructionTranslatorBase.log_graph_break = log_graph_break  # type: ignore[method-assign]
        convert_frame.ConvertFrame.__call__ = convert  # type: ignore[method-assign]
