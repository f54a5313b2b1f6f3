"""Conditionals that mends made, in graphs that a backend runs as they are.

Outside of a compiler torch traces a conditional anew in each call that records gradients. Where the
graph's own Python is what runs, the arm that the predicate chooses is simply called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_COND: Any = torch.ops.higher_order.cond
Place = tuple[torch.fx.GraphModule, torch.fx.Node]


def conditionals(nodes: Iterable[Place]) -> list[Place]:
    """Those of some nodes that are conditionals."""
    return [(module, node) for module, node in nodes if node.target is _COND]


def directly(graph: torch.fx.GraphModule, compiled: Any, ours: list[Place]) -> Any:
    """What a backend made of a graph; conditionals of ours are picked where that is the graph."""
    if not ours or (compiled is not graph and getattr(compiled, "__self__", None) is not graph):
        return compiled
    for _, node in ours:
        node.target = pick
    for module in dict.fromkeys(module for module, _ in ours):
        module.recompile()
    return graph if compiled is graph else getattr(graph, compiled.__name__)


def pick(
    pred: Any, chosen: Callable[..., Any], other: Callable[..., Any], operands: tuple[Any, ...]
) -> Any:
    """The outputs of one of two arms; what only a conditional can do is left to it."""
    functorch: Any = torch._C._functorch
    modes: Any = torch._C
    if (
        type(pred) is not torch.Tensor
        or modes._len_torch_dispatch_stack()
        or functorch.is_functorch_wrapped_tensor(pred)
    ):
        return _COND(pred, chosen, other, operands)
    return (chosen if pred else other)(*operands)
