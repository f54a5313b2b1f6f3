"""Obligations of a select that only the trace can see: metadata, aliasing, gradients."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.bytecode_analysis import livevars_analysis
from torch._dynamo.variables.base import (
    AttributeMutationExisting,
    ValueMutationExisting,
    VariableTracker,
)
from torch._dynamo.variables.lazy import LazyVariableTracker
from torch._dynamo.variables.tensor import TensorVariable

if TYPE_CHECKING:
    from collections.abc import Sequence


def fake(var: Any) -> torch.Tensor:
    """The fake tensor of a tensor variable."""
    value: torch.Tensor = var.as_proxy().node.meta["example_value"]
    return value


def same_metadata(new: torch.Tensor, old: torch.Tensor) -> str:
    """Why two tensors can't stand for each other; empty when they can."""
    if type(new) is not type(old):
        return "the arms give tensors of different classes"
    if new.dtype != old.dtype:
        return "the arms give tensors of different dtypes"
    if new.device != old.device or new.layout != old.layout:
        return "the arms give tensors on different devices or of different layouts"
    if tuple(new.shape) != tuple(old.shape):
        return "the arms give tensors of different shapes"
    if new.layout == torch.strided and new.stride() != old.stride():
        return "the arms give tensors of different strides"
    return ""


def storage(tensor: torch.Tensor) -> int:
    """What identifies a tensor's storage."""
    return int(tensor.untyped_storage()._cdata)


def shares(
    tx: Any,
    values: list[Any],
    targets: list[str],
    rebound: Sequence[tuple[Any, list[str]]] = (),
) -> bool:
    """Whether one of ``values`` shares its storage with something that stays visible.

    ``targets`` are the local names that the statement rebinds; they don't count, nor do those of
    ``rebound``, by frame.
    """
    wanted = {storage(fake(value)) for value in values}
    for node in tx.output.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            example = node.meta.get("example_value")
            if isinstance(example, torch.Tensor) and storage(example) in wanted:
                return True
    found = False

    def visit(var: VariableTracker) -> None:
        nonlocal found
        if isinstance(var, LazyVariableTracker) and not var.is_realized():
            return
        if isinstance(var, TensorVariable) and storage(fake(var)) in wanted:
            found = True

    cache: dict[int, Any] = {}
    effects = tx.output.side_effects
    frame = tx
    while frame is not None and not found:
        live = livevars_analysis(frame.instructions, frame.next_instruction)
        for name, var in frame.symbolic_locals.items():
            own = frame is tx and (name in targets or "__gm_" in name)
            own = own or any(frame is other and name in names for other, names in rebound)
            if not own and (name in live or name in frame.cell_and_freevars()):
                VariableTracker.visit(visit, var, cache, effects)
        VariableTracker.visit(visit, list(frame.stack), cache, effects)
        frame = frame.parent
    # Objects that were there before the trace may have been given the value; objects made in the
    # trace are seen through the variables that hold them.
    kinds = (AttributeMutationExisting, ValueMutationExisting)
    for var in effects.id_to_variable.values():
        if isinstance(var.mutation_type, kinds) and not isinstance(var, TensorVariable):
            VariableTracker.visit(visit, var, cache, effects)
    return found


def is_held(tx: Any, value: Any, target: Any) -> bool:
    """Whether ``value``, an attribute of ``target`` by now, is visible elsewhere too."""
    effects = tx.output.side_effects
    wanted = storage(fake(value))
    found = False

    def visit(var: VariableTracker) -> None:
        nonlocal found
        if isinstance(var, LazyVariableTracker) and not var.is_realized():
            return
        found = found or (isinstance(var, TensorVariable) and storage(fake(var)) == wanted)

    cache: dict[int, Any] = {}
    frame = tx
    while frame is not None:
        live = livevars_analysis(frame.instructions, frame.next_instruction)
        for local, var in frame.symbolic_locals.items():
            if local in live or local in frame.cell_and_freevars():
                VariableTracker.visit(visit, var, cache)
        VariableTracker.visit(visit, list(frame.stack), cache)
        frame = frame.parent
    for var in effects.id_to_variable.values():
        if _is_table(var, target):
            continue
        if not isinstance(var, TensorVariable):
            VariableTracker.visit(visit, var, cache)
        for attribute in effects.store_attr_mutations.get(var, {}).values():
            if var is not target:
                VariableTracker.visit(visit, attribute, cache)
    return found


def _is_table(var: Any, target: Any) -> bool:
    """Whether it is the dictionary that holds the buffers or parameters of ``target``."""
    source = getattr(var, "source", None)
    table = getattr(source, "member", "") in ("_buffers", "_parameters")
    return table and getattr(source, "base", None) == target.source


def forget_place(tx: Any, value: torch.Tensor, target: Any) -> bool:
    """Let nothing name a tensor by the attribute of ``target`` that held it; False where it must.

    The code that Dynamo writes reads that attribute again, after the graph, when it needs the
    tensor: by then another one is there.
    """
    effects = tx.output.side_effects
    known = effects.id_to_variable.get(id(value))
    wanted = fake(known) if isinstance(known, TensorVariable) else None
    found = False

    def visit(var: VariableTracker) -> None:
        nonlocal found
        if isinstance(var, LazyVariableTracker):
            found = found or (not var.is_realized() and var.peek_value() is value)
        elif wanted is not None and isinstance(var, TensorVariable):
            found = found or (var.source is not None and fake(var) is wanted)

    cache: dict[int, Any] = {}
    frame = tx
    while frame is not None:
        live = livevars_analysis(frame.instructions, frame.next_instruction)
        for name, var in frame.symbolic_locals.items():
            if name in live or name in frame.cell_and_freevars():
                VariableTracker.visit(visit, var, cache, effects)
        VariableTracker.visit(visit, list(frame.stack), cache, effects)
        frame = frame.parent
    for var in list(effects.id_to_variable.values()):
        if not isinstance(var, TensorVariable) and not _is_table(var, target):
            VariableTracker.visit(visit, var, cache)
        if var is not target:
            written = list(effects.store_attr_mutations.get(var, {}).values())
            VariableTracker.visit(visit, written, cache)
    if found or effects.store_attr_mutations.get(known):
        return False
    return known is None or not _is_shared(value, target.value, effects.keepalive)


def _is_shared(value: torch.Tensor, owner: Any, kept: list[Any]) -> bool:
    """Whether an object or container besides ``owner`` and its tables holds a tensor."""
    own = vars(owner)
    tables = [own, *filter(None, (own.get(name) for name in ("_buffers", "_parameters")))]
    if sum(item is value for table in tables for item in table.values()) > 1:
        return True
    for holder in gc.get_referrers(value):
        if isinstance(holder, (dict, list, tuple, set)):
            items = holder.values() if isinstance(holder, dict) else holder
            of_trace = holder is kept or any(isinstance(item, VariableTracker) for item in items)
            if not of_trace and not any(holder is table for table in tables):
                return True
    return False


def next_targets(tx: Any, count: int) -> list[str]:
    """The names that the code after the current call binds first, run-time names left out."""
    found: list[str] = []
    for instruction in tx.instructions[tx.instruction_pointer :]:
        if len(found) == count:
            break
        if instruction.opname in ("STORE_FAST", "STORE_DEREF"):
            name = instruction.argval
            if "__gm_" not in name and name not in found:
                found.append(name)
    return found


def gradient_problem(new: torch.Tensor, old: torch.Tensor, grad_safe: bool, begin: int) -> str:
    """Why gradients would differ if both arms were computed; empty when they would not.

    ``grad_safe`` is the core's word for what the arms themselves compute; ``begin`` is the number
    of the first autograd node that they may have made.
    """
    if not torch.is_grad_enabled() or not (new.requires_grad or old.requires_grad):
        return ""
    if new.requires_grad != old.requires_grad:
        return "only one arm requires a gradient"
    mine, theirs = reached(new), reached(old)
    if mine.leaves != theirs.leaves:
        return "the arms depend on different parameters, whose gradients would be zero, not None"
    unsafe = "the gradient of the arm that is not taken may not be finite"
    if not grad_safe:
        return unsafe
    # A zero gradient into a node that only one arm needs can become NaN; the core answers for
    # nodes of the arms, not for older ones.
    alone = mine.nodes ^ theirs.nodes
    return unsafe if any(_number(node) < begin for node in alone) else ""


def _number(node: Any) -> int:
    return int(node._sequence_nr())


class Reached:
    """The autograd nodes and the leaves that the gradient of a tensor reaches."""

    def __init__(self) -> None:
        self.nodes: set[Any] = set()
        self.leaves: set[int] = set()


def reached(tensor: torch.Tensor) -> Reached:
    """What the gradient of a tensor comes to."""
    found = Reached()
    if tensor.grad_fn is None:
        found.leaves.add(id(tensor))
        return found
    work: list[Any] = [tensor.grad_fn]
    while work:
        node = work.pop()
        if node in found.nodes:
            continue
        found.nodes.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found.leaves.add(id(leaf))
        work.extend(parent for parent, _ in node.next_functions if parent is not None)
    return found
