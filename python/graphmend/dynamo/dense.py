"""A loop over the places where a tensor is not zero, traced as a loop over all places.

The trace does not know which places are hit, but how many there are. Each iteration is traced for
real; when it ends it is checked that, had its place not been hit, it would have done nothing: what
it finds in the slice of the tensor is then empty, so each of its operators must make an empty
tensor or write at no place, and Python must not see that it ran. If a check fails, the trace starts
again with the original loop.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.exc import unimplemented
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.tensor import TensorVariable
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.utils._python_dispatch import _disable_current_modes

from graphmend.dynamo import fork, operations
from graphmend.dynamo.carry import LosesNone, Spoiled, Uncarried

if TYPE_CHECKING:
    from torch.fx import Node

_MAX_PLACES = 1024
_MAX_ELEMENTS = 1 << 31
"""Of a tensor that is made, though not filled, to try an operator on nothing."""
_ORDER = frozenset(("permute", "transpose", "movedim", "swapaxes", "t", "contiguous", "clone"))
_CASTS = frozenset(("to", "long", "int", "bool", "float", "double", "half", "bfloat16", "detach"))
_VIEWS = frozenset(("view", "reshape", "squeeze", "unsqueeze", "flatten", "expand", "select"))
_SUMS = frozenset(("sum", "any"))
_CHEAP = _ORDER | _CASTS | _VIEWS | _SUMS | {"getitem", "chunk", "split", "unbind", "size"}
_NARROW = (torch.int8, torch.uint8, torch.int16)
_NUMBERS = (int, float, bool, torch.SymInt, torch.SymFloat, torch.SymBool)


class Places(VariableTracker):
    """The list that ``tolist()`` makes of places: only how to make it is known."""

    def __init__(self, tensor: TensorVariable, **options: Any) -> None:
        super().__init__(**options)
        self.tensor = tensor

    def python_type(self) -> type:
        """What it stands for."""
        return list

    def tp_iter_impl(self, tx: Any) -> Any:
        """The list is needed after all, and the graph ends."""
        unimplemented(
            gb_type="Data-dependent list",
            context="",
            explanation="How long the list is, is known only when the graph has run.",
            hints=["Visit all places, and let those that are zero change nothing."],
        )

    def reconstruct(self, codegen: Any) -> None:
        """Code that makes the list."""
        codegen(self.tensor)
        codegen.load_method("tolist")
        codegen.call_method(0)


@dataclass
class _Loop:
    """A loop that is being traced."""

    site: Any
    mask: Node
    count: int
    items: list[Node]
    """The places as tensors, where the loop iterates over such."""
    place: int = -1
    nodes: set[Node] = field(default_factory=set)
    journal: Any = None


def listed(value: Any) -> Any:
    """For ``tolist()`` of places: a variable that stands for the list; None for other tensors."""
    node = value.as_proxy().node
    example = node.meta.get("example_value")
    if not isinstance(example, torch.Tensor) or example.dim() != 1:
        return None
    return Places(value) if free_unbacked_symbols(example.shape[0]) and _origin(node) else None


def is_unknown(places: Any) -> bool:
    """Whether the trace does not know how many places a loop visits."""
    if isinstance(places, Places):
        return True
    return isinstance(places, TensorVariable) and operations.has_unbacked(
        places.as_proxy().node.meta.get("example_value")
    )


def begin(tx: Any, site: Any, places: Any) -> list[Any]:
    """All places in place of those that are hit, as variables; raises Uncarried."""
    tensor = places.tensor if isinstance(places, Places) else places
    origin = _origin(tensor.as_proxy().node)
    if origin is None:
        raise Uncarried(
            "it is not seen that the places are those where slices of one tensor hold a one"
        )
    mask, count = origin
    if count > _MAX_PLACES:
        raise Uncarried(f"there are more than {_MAX_PLACES} places")
    loop = _Loop(site, mask, count, [])
    if isinstance(places, Places):
        items = [VariableTracker.build(tx, place) for place in range(count)]
    else:
        items = [_place(tx, tensor, place) for place in range(count)]
        loop.items = [item.as_proxy().node for item in items]
    opened(tx).append(loop)
    return items


def mark(tx: Any, site: Any) -> None:
    """An iteration begins, or the loop has ended."""
    loops = opened(tx)
    if not loops or loops[-1].site is not site:
        return
    loop = loops[-1]
    if loop.place >= 0:
        try:
            _check(tx, loop)
        except Uncarried as problem:
            raise Spoiled(str(problem)) from problem
    loop.place += 1
    if loop.place == loop.count:
        loops.pop()
        return
    loop.nodes = set(tx.output.graph.nodes)
    try:
        loop.journal = fork.Journal(tx, tx.stack[-1:])
    except Uncarried as problem:
        raise Spoiled(str(problem)) from problem


def opened(tx: Any) -> list[_Loop]:
    """The loops that are being traced, the innermost last."""
    loops: list[_Loop] = tx.output.__dict__.setdefault("_graphmend_loops", [])
    return loops


def _place(tx: Any, places: Any, place: int) -> Any:
    """One item of a tensor of places, as iterating over it gives them."""
    example = places.as_proxy().node.meta["example_value"]
    shape = VariableTracker.build(tx, tuple(example.shape[1:]))
    options = {
        "dtype": VariableTracker.build(tx, example.dtype),
        "device": VariableTracker.build(tx, example.device),
    }
    full = VariableTracker.build(tx, torch.full)
    return full.call_function(tx, [shape, VariableTracker.build(tx, place)], options)


# ------------------------------------------------------------- where the places come from
def _name(node: Any) -> str:
    """The name of what a node of torch calls; empty for all else."""
    if not isinstance(node, torch.fx.Node) or not operations.allowed(node):
        return ""
    target: Any = node.target
    return target if isinstance(target, str) else str(getattr(target, "__name__", ""))


def _argument(node: Node, position: int, name: str, default: Any = None) -> Any:
    if len(node.args) > position:
        return node.args[position]
    return node.kwargs.get(name, default)


def _first(node: Node) -> Any:
    return _argument(node, 0, "input")


def _through(node: Any, names: frozenset[str]) -> Any:
    """The node that views, casts and the like lead back to."""
    while _name(node) in names:
        node = _first(node)
    return node


def _path(node: Any, end: Node) -> list[Node]:
    """What leads to a node from one that its first arguments lead back to."""
    found = []
    while isinstance(node, torch.fx.Node):
        found.append(node)
        if node is end:
            break
        node = _first(node)
    return found


def _uncast(node: Any) -> Any:
    """The node of which one is a cast that is zero at the same places."""
    while _name(node) in _CASTS:
        source = _example(_first(node))
        if not isinstance(source, torch.Tensor):
            break
        made, given = _example(node).dtype, source.dtype
        whole = not given.is_floating_point and not given.is_complex
        same = made in (torch.bool, given) or given is torch.bool
        if not same and not (whole and made.is_floating_point):
            break  # numbers may wrap or be cut to zero
        node = _first(node)
    return node


def _example(node: Any) -> Any:
    return node.meta.get("example_value") if isinstance(node, torch.fx.Node) else None


def _shape(node: Any) -> tuple[Any, ...]:
    example = _example(node)
    return tuple(example.shape) if isinstance(example, torch.Tensor) else ()


def _origin(node: Node) -> tuple[Node, int] | None:
    """The tensor whose slices without a one are not among the places, and its length."""
    found = _places(node)
    if found is None:
        return None
    hit = _uncast(found)
    chain = [found, hit]
    if _name(hit) in ("gt", "greater", "ne", "not_equal"):
        if _argument(hit, 1, "other") not in (0, 0.0):
            return None
        hit = _first(hit)
        chain.append(hit)
    mask = _reduced(hit)
    if not _shape(mask) or not _no_negatives(mask):
        return None
    count = _shape(mask)[0]
    if not isinstance(count, int) or _shape(found) != (count,):
        return None
    return None if _is_written([*chain, mask, _uncast(mask)]) else (mask, count)


def _places(node: Any) -> Any:
    """The vector of which a node holds the places that are not zero, in their order."""
    if len(_shape(node)) == 1:
        flat = _through(node, frozenset(("squeeze", "flatten", "view", "reshape")))
        if _name(flat) == "getitem" and _first(flat) is not node:
            index = flat.args[1]
            if index == 0 and _lists_places(_first(flat), as_tuple=True):
                return _first(_first(flat))
            if _is_first_column(index) and _lists_places(_first(flat), as_tuple=False):
                return _vector(_first(flat))
        if flat is not node and _lists_places(flat, as_tuple=False):
            return _vector(flat)
        return None
    return _vector(node) if _lists_places(node, as_tuple=False) else None


def _vector(node: Node) -> Any:
    return _first(node) if len(_shape(_first(node))) == 1 else None


def _is_first_column(index: Any) -> bool:
    return isinstance(index, tuple) and index == (slice(None), 0)


def _lists_places(node: Any, *, as_tuple: bool) -> bool:
    name = _name(node)
    if not name or len(_shape(_first(node))) != 1:
        return False
    if name == "where":
        return as_tuple and len(node.args) + len(node.kwargs) == 1
    if name == "argwhere":
        return not as_tuple
    return name == "nonzero" and bool(node.kwargs.get("as_tuple", False)) is as_tuple


def _reduced(node: Any) -> Any:
    """The tensor that sums or ``any`` over all dimensions but the first give a vector of."""
    while _name(node) in _SUMS:
        source = _first(node)
        rank = len(_shape(source))
        dims = _argument(node, 1, "dim", _argument(node, 1, "axis"))
        if dims is None or _argument(node, 2, "keepdim", False):
            return None
        left = {dim % rank for dim in (dims if isinstance(dims, (tuple, list)) else (dims,))}
        if 0 in left:
            return None
        # Where numbers wrap, a sum of ones may be zero.
        if _example(node).dtype in _NARROW:
            return None
        node = source
    return node


def _no_negatives(node: Node) -> bool:
    source = _through(node, _ORDER | _CASTS)
    example = source.meta.get("example_value")
    return _name(source) == "one_hot" or (
        isinstance(example, torch.Tensor) and example.dtype is torch.bool
    )


def _is_written(nodes: list[Node]) -> bool:
    """Whether the graph so far writes one of these in place."""
    wanted = {storage for node in nodes for storage in operations.storages(node)}
    return any(
        wanted.intersection(operations.written(node))
        for node in nodes[0].graph.nodes
        if node.op in ("call_function", "call_method")
    )


# ----------------------------------------------------------------------- one iteration
def _check(tx: Any, loop: _Loop) -> None:
    """That an iteration does nothing where its place is not hit; raises Uncarried."""
    from graphmend.dynamo.handlers import backend_of

    problem = loop.journal.changed()
    if problem:
        raise Uncarried(problem)
    nodes = [node for node in tx.output.graph.nodes if node not in loop.nodes]
    nodes = [node for node in nodes if node.op not in ("placeholder", "get_attr")]
    symbols = _empty_sizes(loop, nodes)
    keeps_none = torch.is_grad_enabled() and backend_of(tx).unused_grad != "zero"
    for node in nodes:
        example = node.meta.get("example_value")
        if keeps_none and isinstance(example, torch.Tensor) and example.requires_grad:
            raise LosesNone(
                "parameters that are used for no place would get a gradient of zeros, not None; "
                'graphmend.compile(..., unused_grad="zero") allows that'
            )
        _check_node(node, symbols)
    env = tx.output.shape_env
    for symbol in symbols:
        for check in env.deferred_runtime_asserts.get(symbol, []):
            if check.expr.subs(dict.fromkeys(symbols, 0)) == False:  # noqa: E712 - of sympy
                raise Uncarried(f"an iteration needs places: {check.expr}")


def _empty_sizes(loop: _Loop, nodes: list[Node]) -> set[Any]:
    """The sizes that are zero where the place is not hit: what is found in the tensor's slice."""
    found: set[Any] = set()
    mask = _uncast(loop.mask)
    for node in nodes:
        if _name(node) not in ("where", "nonzero", "argwhere"):
            continue
        if _name(node) == "where" and len(node.args) + len(node.kwargs) != 1:
            continue
        # Where the slice holds zeros, so do its sums.
        source = _through(_first(node), _VIEWS | _CASTS | _SUMS)
        if _name(source) == "getitem" and _through(_first(source), _CASTS) in (mask, loop.mask):
            if _is_written([*_path(node, mask), loop.mask]):
                raise Uncarried("the tensor whose places the loop visits is written")
            index = source.args[1]
            index = index[0] if isinstance(index, tuple) and len(index) == 1 else index
            here = loop.items[loop.place] if loop.items else loop.place
            if type(index) is type(here) and index == here:
                example = node.meta["example_value"]
                first = example[0] if isinstance(example, (tuple, list)) else example
                found |= free_unbacked_symbols(first.shape[0])
    return found


def _check_node(node: Node, symbols: set[Any]) -> None:
    example = node.meta.get("example_value")
    name = _name(node)
    if not operations.allowed(node):
        raise Uncarried(f"an iteration does more than compute ({name})")
    outputs = example if isinstance(example, (tuple, list)) else [example]
    if operations.written(node):
        if not _writes_nowhere(node, symbols):
            raise Uncarried(
                f"an iteration writes a tensor though its place may not be hit ({name})"
            )
        return
    if name in ("where", "nonzero", "argwhere") and _depends(example, symbols):
        return
    sources = [item.meta.get("example_value") for item in node.all_input_nodes]
    if all(isinstance(item, torch.Tensor) and _is_empty(item, symbols) for item in outputs):
        _try_empty(node, symbols)
    elif all(isinstance(item, _NUMBERS) for item in outputs):
        if operations.is_new(node, example):
            raise Uncarried(f"an iteration reads a number from a tensor ({name})")
    elif name not in _CHEAP or any(_depends(item, symbols) for item in sources):
        raise Uncarried(f"an iteration computes more than what its place needs ({name})")


def _depends(example: Any, symbols: set[Any]) -> bool:
    if isinstance(example, (tuple, list)):
        return any(_depends(item, symbols) for item in example)
    return isinstance(example, (torch.Tensor, torch.SymInt)) and bool(
        free_unbacked_symbols(example) & symbols
    )


def _is_empty(example: torch.Tensor, symbols: set[Any]) -> bool:
    return any(_size(size, symbols) == 0 for size in example.shape)


def _size(size: Any, symbols: set[Any]) -> int | None:
    """A size where nothing is found; one that inputs give as in this call."""
    if not isinstance(size, torch.SymInt):
        return int(size)
    left = size.node.expr.subs(dict.fromkeys(symbols, 0))
    if left.is_Integer:
        return int(left)
    env = size.node.shape_env
    if left.free_symbols - set(env.backed_var_to_val):
        return None
    return int(left.xreplace(env.backed_var_to_val))


_PLACES = {"index_add_": 2, "index_copy_": 2, "index_fill_": 2, "scatter_add_": 2, "scatter_": 2}


def _writes_nowhere(node: Node, symbols: set[Any]) -> bool:
    """Whether an operator that writes has no place to write at, or nothing to write to."""
    name = _name(node)

    def empty(item: Any) -> bool:
        example = item.meta.get("example_value") if isinstance(item, torch.fx.Node) else None
        return isinstance(example, torch.Tensor) and _is_empty(example, symbols)

    if empty(_first(node)):
        return "out" not in node.kwargs
    if name in _PLACES:
        return empty(_argument(node, _PLACES[name], "index"))
    if name == "index_put_" or node.target is operator.setitem:
        index = _argument(node, 1, "indices")
        return any(map(empty, index if isinstance(index, (tuple, list)) else (index,)))
    return False


def _try_empty(node: Node, symbols: set[Any]) -> None:
    """Run an operator on nothing: it must not raise there, nor draw random numbers."""

    def made(item: Node) -> Any:
        return torch.utils._pytree.tree_map(leaf, item.meta.get("example_value"))

    def leaf(value: Any) -> Any:
        if isinstance(value, torch.SymInt):
            value = _size(value, symbols)
        elif isinstance(value, torch.Tensor):
            shape = [_size(size, symbols) for size in value.shape]
            sizes = [size for size in shape if size is not None]
            if len(sizes) < len(shape) or math.prod(sizes) > _MAX_ELEMENTS:
                raise Uncarried("an iteration uses a tensor whose size is not known")
            return torch.empty(sizes, dtype=value.dtype)
        if value is None:
            raise Uncarried("an iteration uses a number that is not known")
        return value

    before = torch.get_rng_state()
    with _disable_current_modes(), torch.no_grad():
        args, kwargs = torch.fx.node.map_arg((node.args, node.kwargs), made)
        args, kwargs = torch.utils._pytree.tree_map(_on_host, (args, kwargs))
        try:
            if isinstance(node.target, str):
                getattr(args[0], node.target)(*args[1:], **kwargs)
            else:
                target: Any = node.target
                target(*args, **kwargs)
        except Exception as problem:
            raise Uncarried(f"an iteration needs places: {problem}") from None
        if not torch.equal(before, torch.get_rng_state()):
            torch.set_rng_state(before)
            raise Uncarried("an iteration draws random numbers")


def _on_host(value: Any) -> Any:
    """Devices become the host's: only shapes matter here."""
    return torch.device("cpu") if isinstance(value, torch.device) else value
