"""Which graphs draw random numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Mapping

_RANDOM_WORDS = (
    "rand",
    "drop",
    "normal",
    "bernoulli",
    "multinomial",
    "uniform",
    "exponential",
    "poisson",
    "cauchy",
    "geometric",
    "attention",
    "rrelu",
    "gumbel",
    "checkpoint",
    "seed",
)


def draws(graph: torch.fx.Graph, modules: Mapping[str, Any]) -> bool:
    """Whether a graph may draw random numbers; in doubt it may.

    ``modules``: by name, the graphs of the arms of its conditionals.
    """
    for node in graph.nodes:
        if node.op == "call_module":
            return True
        name = getattr(node.target, "__name__", str(node.target))
        if node.op == "get_attr":
            inner = modules.get(name)
            if isinstance(inner, torch.fx.GraphModule) and draws(inner.graph, modules):
                return True
        elif node.op != "placeholder" and any(word in name for word in _RANDOM_WORDS):
            return True
    return False
