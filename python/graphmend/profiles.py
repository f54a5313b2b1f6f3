"""Names of mended sites in profiles: ranges of ``torch.profiler``, only while one records.

An ordered operator and a prelude name their own time. A select or a conditional may be fused with
what stands around it, so its name spans the run of the graph that holds it. The names are taken off
the graph before a backend sees it: what is compiled, and under which key it is kept, is the same.
"""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_KEY = "graphmend_site"
_autograd: Any = torch.autograd
recording: Callable[[], bool] = _autograd._profiler_enabled
"""Whether a profiler records; asking costs next to nothing."""


@contextlib.contextmanager
def span(names: Sequence[str]) -> Iterator[None]:
    """Show what happens meanwhile under these names."""
    with contextlib.ExitStack() as stack:
        for item in names:
            stack.enter_context(torch.profiler.record_function(item))
        yield


def mark(node: torch.fx.Node, name: str) -> None:
    """Note that a node of a graph that is being traced is what a site became."""
    node.meta[_KEY] = name


def take(
    graph: torch.fx.GraphModule,
) -> tuple[list[str], list[tuple[torch.fx.GraphModule, torch.fx.Node]]]:
    """The names of the sites in a graph and in the arms of its conditionals, and their nodes.

    They are taken off.
    """
    found: dict[str, None] = {}
    nodes = []
    for module in graph.modules():
        if isinstance(module, torch.fx.GraphModule):
            for node in module.graph.nodes:
                marked = node.meta.pop(_KEY, None)
                if marked is not None:
                    found[marked] = None
                    nodes.append((module, node))
    return list(found), nodes


def spanned(compiled: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    """A compiled graph that shows its run under the names of its sites, while one records."""

    @functools.wraps(compiled)
    def run(*arguments: Any) -> Any:
        if not recording():
            return compiled(*arguments)
        with span(names):
            return compiled(*arguments)

    return run
