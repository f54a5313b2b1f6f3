"""A mended branch while tracing: its arms, traced apart, become one conditional of the graph."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.exc import ObservedException
from torch._dynamo.variables import ConstDictVariable, ListVariable, TupleVariable
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.lists import DequeVariable
from torch._dynamo.variables.misc import CellVariable, DeletedVariable, NewGlobalVariable
from torch._dynamo.variables.tensor import SymNodeVariable

from graphmend.dynamo import checks, conditional, fork
from graphmend.dynamo.carry import Uncarried
from graphmend.dynamo.merge import Merger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graphmend.dynamo.fork import Arm
    from graphmend.dynamo.merge import Made

_CONTAINERS = (ListVariable, DequeVariable)


def join(
    tx: Any,
    site: Any,
    flag: Any,
    functions: tuple[Any, Any],
    arguments: list[Any],
    escapes: list[bool],
    *,
    zero: bool,
) -> Any:
    """The variables that the branch binds, after both arms; what follows the branch goes on.

    ``escapes`` says of each variable whether it matters which tensor it holds, besides its value.
    """
    targets = checks.next_targets(tx, len(escapes))
    with _rebinding(tx, targets):
        arms = _arms(tx, functions, arguments)
    merger = Merger(tx, flag, arms, late=False, zero=zero)
    pairs = list(zip(*(arm.value.items for arm in arms), strict=True))
    made = [merger.merge(left, right) for left, right in pairs]
    for (left, right), escape in zip(pairs, escapes, strict=True):
        if escape and left.realize() is not right.realize():
            outer = [value for n, value in enumerate((left, right)) if merger.gives_outer(value, n)]
            if outer and checks.shares(tx, outer, targets, _rebound(tx)):
                raise Uncarried("the value is the same tensor as one that stays visible")
    writes = _writes(tx, merger)
    results = conditional.emit(tx, site, flag, arms, merger.slots, zero=zero)
    values = [make(results) for make in made]
    writes(results)
    return TupleVariable(values)


def tail(
    tx: Any,
    site: Any,
    flag: Any,
    functions: tuple[Any, Any],
    arguments: list[Any],
    *,
    zero: bool,
) -> Any:
    """What the function returns, as a tuple of one, when both arms go on to its end."""
    late = _is_last(tx)
    with _ending(tx, late), _rebinding(tx, []):
        arms = _arms(tx, functions, arguments)
    merger = Merger(tx, flag, arms, late=late, zero=zero)
    left, right = arms[0].value, arms[1].value
    made = merger.merge(left, right)
    if not late:
        for number, value in enumerate((left, right)):
            if left.realize() is not right.realize() and merger.gives_outer(value, number):
                raise Uncarried("the value is the same tensor as one that stays visible")
    writes = _writes(tx, merger)
    results = conditional.emit(tx, site, flag, arms, merger.slots, zero=zero)
    value = made(results)
    writes(results)
    return TupleVariable([value])


def _arms(tx: Any, functions: tuple[Any, Any], arguments: list[Any]) -> tuple[Arm, Arm]:
    chosen, other = functions
    arguments = [_settled(tx, argument) for argument in arguments]
    return fork.trace(tx, chosen, arguments), fork.trace(tx, other, arguments)


def _settled(tx: Any, argument: Any) -> Any:
    """An argument that a conditional takes: floating-point numbers are settled for this trace."""
    value = argument.realize()
    if not isinstance(value, SymNodeVariable) or value.python_type() is not float:
        return argument
    if torch.fx.experimental.symbolic_shapes.free_unbacked_symbols(value.sym_num):
        raise Uncarried("an arm uses a floating-point number that is not known while tracing")
    return VariableTracker.build(tx, value.evaluate_expr(tx.output))


# --------------------------------------------------------------- where we are
def _is_last(tx: Any) -> bool:
    """Whether the traced call ends with the function of this frame."""
    if tx.parent is None:
        return bool(tx.output.is_root_tracer())
    ending = tx.output.__dict__.get("_graphmend_ending", [])
    return any(frame is tx.parent for frame in ending)


@contextlib.contextmanager
def same_end(tx: Any) -> Iterator[None]:
    """A function called meanwhile ends the call if the frame ``tx`` does."""
    with _ending(tx, _is_last(tx)):
        yield


@contextlib.contextmanager
def _ending(tx: Any, late: bool) -> Iterator[None]:
    """Arms traced meanwhile end the call, as the frame ``tx`` does."""
    ending: list[Any] = tx.output.__dict__.setdefault("_graphmend_ending", [])
    ending.append(tx if late else None)
    try:
        yield
    finally:
        ending.pop()


@contextlib.contextmanager
def _rebinding(tx: Any, targets: list[str]) -> Iterator[None]:
    """Arms traced meanwhile give these variables of the frame ``tx`` new values."""
    rebound: list[Any] = tx.output.__dict__.setdefault("_graphmend_rebound", [])
    rebound.append((tx, targets))
    try:
        yield
    finally:
        rebound.pop()


def _rebound(tx: Any) -> list[tuple[Any, list[str]]]:
    found: list[tuple[Any, list[str]]] = tx.output.__dict__.get("_graphmend_rebound", [])
    return found


# --------------------------------------------------------------------- writes
def _writes(tx: Any, merger: Merger) -> Callable[[list[Any]], None]:
    """What the arms write to objects and containers, merged: to be made after the conditional."""
    effects = tx.output.side_effects
    chosen, other = merger.arms
    attributes: list[tuple[Any, str, Any, Made]] = []
    for var, name in dict.fromkeys((*chosen.attributes, *other.attributes)):
        sides = []
        kind: Any = None
        for arm in merger.arms:
            written = arm.attributes.get((var, name))
            if written is None:
                sides.append(_current(tx, var, name))
            else:
                sides.append(written[0])
                kind = written[1]
        if any(isinstance(side, DeletedVariable) for side in sides):
            raise Uncarried("an arm deletes an attribute")
        if isinstance(var, NewGlobalVariable):
            raise Uncarried("an arm writes a global variable")
        made = _kept_identity(tx, merger, sides)
        attributes.append((var, name, kind, made))
    containers: list[tuple[Any, Any]] = []
    for var in dict.fromkeys((*chosen.containers, *other.containers)):
        items = [arm.containers.get(var, var.items) for arm in merger.arms]
        containers.append((var, _merged_items(tx, merger, var, items)))

    def apply(results: list[Any]) -> None:
        for var, name, kind, made in attributes:
            effects.store_attr(var, name, made(results), kind)
        for var, make in containers:
            effects.mutation(var)
            make(results)

    return apply


def _kept_identity(tx: Any, merger: Merger, sides: list[Any]) -> Made:
    """Merges what is written; a tensor from outside would be written as another one."""
    made = merger.merge(*sides)
    if not merger.late and sides[0].realize() is not sides[1].realize():
        for number, side in enumerate(sides):
            if merger.gives_outer(side, number) and checks.shares(tx, [side], [], _rebound(tx)):
                raise Uncarried("an arm stores a tensor that stays visible elsewhere")
    return made


def _current(tx: Any, var: Any, name: str) -> Any:
    """The value of an attribute where an arm leaves it."""
    effects = tx.output.side_effects
    if isinstance(var, CellVariable):
        return effects.load_cell(var)
    written = effects.store_attr_mutations.get(var, {})
    if name in written:
        return written[name]
    if isinstance(var, NewGlobalVariable):
        raise Uncarried("an arm writes a global variable")
    try:
        arguments = [var, VariableTracker.build(tx, name)]
        return VariableTracker.build(tx, getattr).call_function(tx, arguments, {}).realize()
    except ObservedException as problem:
        raise Uncarried(f"an arm makes attribute {name}, which was not there") from problem


def _merged_items(tx: Any, merger: Merger, var: Any, sides: list[Any]) -> Any:
    left, right = sides
    if isinstance(var, _CONTAINERS):
        if len(left) != len(right):
            raise Uncarried("the arms leave a list with different lengths")
        parts = [_kept_identity(tx, merger, [a, b]) for a, b in zip(left, right, strict=True)]

        def change(results: list[Any]) -> None:
            var.items[:] = [part(results) for part in parts]

        return change
    if isinstance(var, ConstDictVariable):
        if list(left) != list(right):
            raise Uncarried("the arms leave a dictionary with different keys")
        pairs = [
            (key, _kept_identity(tx, merger, [value, right[key]])) for key, value in left.items()
        ]

        def update(results: list[Any]) -> None:
            items = {key: part(results) for key, part in pairs}
            var.items.clear()
            var.items.update(items)

        return update
    raise Uncarried("an arm changes a container of a kind that is not merged")
