"""Writes a conditional into the graph: two traced arms, and the outputs that are asked of it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.builder import wrap_fx_proxy
from torch._dynamo.variables.higher_order_ops import dynamo_enable_grad, make_attr
from torch._dynamo.variables.lists import BaseListVariable

from graphmend import profiles, randomness
from graphmend.dynamo import checks
from graphmend.dynamo.carry import Uncarried, note_merged
from graphmend.dynamo.fork import COND, Arm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmend.dynamo.merge import Slot

_REQUIRES = "the arms depend on different parameters, whose gradients would be zero, not None"


def emit(
    tx: Any,
    site: Any,
    flag: Any,
    arms: tuple[Arm, Arm],
    slots: Sequence[Slot],
    *,
    zero: bool,
) -> list[Any]:
    """Add the conditional to the graph; gives a variable for each slot.

    Outputs that need no gradient come from a conditional of their own, since one node of autograd
    takes all outputs of a conditional for differentiable. ``zero``: parameters of the arm that is
    not taken may get gradients of zeros.
    """
    writes = any(arm.written for arm in arms)
    if not slots and not writes:
        return []
    outputs = [_outputs(tx, arm, number, slots) for number, arm in enumerate(arms)]
    grad = torch.is_grad_enabled()
    inner = [index for index, slot in enumerate(slots) if grad and slot.requires_grad()]
    plain = [index for index in range(len(slots)) if index not in inner]
    random = any(randomness.draws(arm.tracer.graph, tx.output.nn_modules) for arm in arms)
    written = [fake for arm in arms for fake in arm.written]
    if grad and (any(fake.requires_grad for fake in written) or (inner and writes)):
        raise Uncarried("an arm writes a tensor in place where gradients are recorded")
    if inner and random:
        raise Uncarried("an arm draws random numbers, and would draw others for the gradient")
    results: list[Any] = [None] * len(slots)
    groups = [([index], True) for index in inner]
    if plain or (writes and not inner):
        groups.append((plain, False))
    prune = all(map(_is_pure, arms))
    if len(inner) > 1 and not prune:
        raise Uncarried("more than one value with a gradient leaves the branch")
    for group, with_grad in groups:
        wanted = [[nodes[index] for index in group] for nodes in outputs]
        kept = [
            _needed(arm, nodes) if prune else set(arm.tracer.graph.nodes)
            for arm, nodes in zip(arms, wanted, strict=True)
        ]
        operands = _operands(arms, kept)
        if with_grad:
            _check_gradients(slots[group[0]], operands, zero)
        else:
            _check_written(arms, [_example(proxy) for proxy in operands])
        made = _conditional(tx, site, flag, arms, wanted, kept, operands, with_grad=with_grad)
        for index, value in zip(group, made, strict=False):
            note_merged(tx, site, value, [slots[index].left, slots[index].right])
            results[index] = value
    return results


def _is_pure(arm: Arm) -> bool:
    """Whether nothing in an arm's graph writes in place, so that what is not used can go."""
    for node in arm.tracer.graph.nodes:
        fake = node.meta.get("example_value")
        if node.op != "placeholder" and isinstance(fake, torch.Tensor) and fake._version:
            return False
    return not arm.written


def _needed(arm: Arm, nodes: list[torch.fx.Node]) -> set[torch.fx.Node]:
    """The nodes of an arm's graph that its outputs need, and those that act by themselves."""
    found: set[torch.fx.Node] = set()
    work = [*nodes, *(node for node in arm.tracer.graph.nodes if node.is_impure())]
    while work:
        node = work.pop()
        if node not in found:
            found.add(node)
            work.extend(node.all_input_nodes)
    return found


def _operands(arms: tuple[Arm, Arm], kept: list[set[torch.fx.Node]]) -> list[Any]:
    """What the arms need from outside, in the order of the names."""
    used: dict[Any, None] = {}
    for arm, nodes in zip(arms, kept, strict=True):
        for outer, lifted in arm.tracer.lifted_freevars.items():
            if lifted.node in nodes:
                used[outer] = None
    if any(isinstance(_example(proxy), torch.SymFloat) for proxy in used):
        raise Uncarried("an arm uses a floating-point number that is not known while tracing")
    return sorted(used, key=lambda proxy: str(proxy.node.name))


def _outputs(tx: Any, arm: Arm, number: int, slots: Sequence[Slot]) -> list[torch.fx.Node]:
    """The nodes of an arm's graph that give its outputs: fresh tensors, each of its own."""
    nodes = []
    given: set[int] = {
        checks.storage(fake)
        for fake in map(_example, arm.tracer.lifted_freevars)
        if isinstance(fake, torch.Tensor)
    }
    with tx.output.subtracer(COND, arm.tracer):
        for slot in slots:
            value = (slot.left, slot.right)[number]
            if value is None:
                value = _filler(tx, (slot.left, slot.right)[1 - number])
            fake = checks.fake(value)
            if checks.storage(fake) in given or value.as_proxy().tracer is not arm.tracer:
                value = value.call_method(tx, "clone", [], {})
                if checks.fake(value).stride() != fake.stride():
                    raise Uncarried("an arm gives a tensor from outside that is not dense")
            elif fake._is_view() or fake.storage_offset():
                value = value.call_method(tx, "clone", [], {})
                if checks.fake(value).stride() != fake.stride():
                    raise Uncarried("an arm gives a part of a tensor")
            given.add(checks.storage(checks.fake(value)))
            nodes.append(value.as_proxy().node)
    return nodes


def _check_written(arms: tuple[Arm, Arm], operands: list[Any]) -> None:
    """A tensor that is written in place must be the only operand in its memory."""
    storages = [checks.storage(fake) for fake in operands if isinstance(fake, torch.Tensor)]
    for arm in arms:
        for fake in arm.written:
            if storages.count(checks.storage(fake)) > 1:
                raise Uncarried("an arm writes a tensor in place that has a view in use")


def _something(tx: Any, arm: Arm) -> list[torch.fx.Node]:
    with tx.output.subtracer(COND, arm.tracer):
        zeros = VariableTracker.build(tx, torch.zeros)
        return [zeros.call_function(tx, [VariableTracker.build(tx, 1)], {}).as_proxy().node]


def _example(proxy: Any) -> Any:
    return proxy.node.meta.get("example_value")


def _filler(tx: Any, like: Any) -> Any:
    """A tensor that stands where an arm gives none."""
    fake = checks.fake(like)
    sizes = (*fake.shape, *fake.stride())
    if not all(isinstance(size, int) for size in sizes):
        raise Uncarried("an arm gives a tensor whose size is symbolic")
    if fake.layout != torch.strided:
        raise Uncarried("an arm gives a tensor that is not strided")
    arguments = [VariableTracker.build(tx, tuple(fake.shape))]
    arguments.append(VariableTracker.build(tx, fake.stride()))
    options = {"dtype": fake.dtype, "device": fake.device}
    named = {name: VariableTracker.build(tx, value) for name, value in options.items()}
    function = VariableTracker.build(tx, torch.empty_strided)
    return function.call_function(tx, arguments, named)


def _check_gradients(slot: Slot, operands: list[Any], zero: bool) -> None:
    """Gradients must reach what they reach in eager code, whichever arm runs.

    The node of a conditional gives every operand a gradient. So each must be one that the output
    reaches in both arms: zeros are no None, and become NaN in a node whose factor is infinite.
    """
    values = [value for value in (slot.left, slot.right) if value is not None]
    reached = []
    for value in values:
        fake = checks.fake(value)
        if not fake.requires_grad:
            if not zero:
                raise Uncarried("only one arm requires a gradient")
            continue
        if not fake.is_floating_point() and not fake.is_complex():
            raise Uncarried("an arm gives numbers that are not differentiable")
        reached.append(checks.reached(fake))
    leaves = [one.leaves for one in reached]
    for proxy in operands:
        fake = _example(proxy)
        if isinstance(fake, torch.Tensor) and fake.requires_grad:
            leaves.append(checks.reached(fake).leaves)
            for one in reached:
                if fake.grad_fn is not None and fake.grad_fn not in one.nodes:
                    raise Uncarried("the gradient of the arm that is not taken may not be finite")
    wanted = reached[0].leaves if reached else set()
    same = all(one.leaves == wanted for one in reached)
    if not zero and not (same and all(one <= wanted for one in leaves)):
        raise Uncarried(_REQUIRES)


def _conditional(
    tx: Any,
    site: Any,
    flag: Any,
    arms: tuple[Arm, Arm],
    wanted: list[list[torch.fx.Node]],
    kept: list[set[torch.fx.Node]],
    operands: list[Any],
    *,
    with_grad: bool,
) -> list[Any]:
    if not wanted[0]:
        # A conditional has to give something.
        wanted = [_something(tx, arm) for arm in arms]
        kept = [nodes | set(more) for nodes, more in zip(kept, wanted, strict=True)]
    names = []
    sides = zip(("cond_true", "cond_false"), arms, wanted, kept, strict=True)
    for name, arm, nodes, needed in sides:
        graph = _with_outputs(arm, nodes, needed, operands)
        module = torch.fx.GraphModule(dict(tx.output.nn_modules), graph)
        names.append(make_attr(tx, tx.output.install_subgraph(name, module)))
    quiet = torch.is_grad_enabled() and not with_grad
    with dynamo_enable_grad(tx, False) if quiet else contextlib.nullcontext():
        arguments = (flag.as_proxy(), *names, tuple(operands))
        proxy = tx.output.create_proxy("call_function", COND, arguments, {})
        profiles.mark(proxy.node, site.profiled)
        made: Any = wrap_fx_proxy(tx, proxy)
    assert isinstance(made, BaseListVariable)
    return list(made.items)


def _with_outputs(
    arm: Arm, nodes: list[torch.fx.Node], needed: set[torch.fx.Node], operands: list[Any]
) -> torch.fx.Graph:
    """A copy of the needed part of an arm's graph, with these inputs and outputs."""
    source: torch.fx.Graph = arm.tracer.graph
    graph = torch.fx.Graph()
    copies: dict[torch.fx.Node, torch.fx.Node] = {}
    for outer in operands:
        placeholder = graph.placeholder(outer.node.name)
        placeholder.meta = dict(outer.node.meta)
        lifted = arm.tracer.lifted_freevars.get(outer)
        if lifted is not None:
            copies[lifted.node] = placeholder
    for node in source.nodes:
        if node.op not in ("placeholder", "output") and node in needed:
            copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output(tuple(copies[node] for node in nodes))
    graph.lint()
    return graph
