"""Arms of a branch traced apart: what each gives, writes and draws, with nothing of it applied.

An arm is a function that Dynamo inlines into a graph of its own. What the arm writes to objects and
containers that are older than it is noted and put back, so that the other arm starts from the same
state; :mod:`graphmend.dynamo.merge` makes one state of both.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.current_scope_id import current_scope_id
from torch._dynamo.exc import ObservedException, RestartAnalysis, SkipFrame, TorchDynamoException
from torch._dynamo.variables.base import (
    AttributeMutationExisting,
    ValueMutationExisting,
    VariableTracker,
)
from torch._dynamo.variables.dicts import ConstDictVariable
from torch._dynamo.variables.functions import LocalGeneratorObjectVariable
from torch._dynamo.variables.iter import IteratorVariable
from torch._dynamo.variables.lazy import LazyVariableTracker
from torch._dynamo.variables.lists import BaseListVariable
from torch._dynamo.variables.sets import SetVariable
from torch._dynamo.variables.tensor import TensorVariable

from graphmend.dynamo.carry import Spoiled, Uncarried

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

COND = torch.ops.higher_order.cond
_CHANGING = (BaseListVariable, ConstDictVariable, SetVariable, IteratorVariable)

_CALLS = ("call_function", "call_method", "call_module")
_TRACKING = ("_track_obj", "track_mutable")
"""The two names under which Dynamo notes an object or container that it meets."""


@dataclass
class Arm:
    """One arm after it was traced."""

    tracer: Any
    scope: int
    value: Any = None
    attributes: dict[tuple[Any, str], tuple[Any, Any]] = field(default_factory=dict)
    """By object and name: the new value, and how Dynamo is to write it."""
    containers: dict[Any, Any] = field(default_factory=dict)
    """The new items of lists and dictionaries, by the container."""
    written: list[torch.Tensor] = field(default_factory=list)
    """The tensors from outside that are written in place."""

    def made(self, var: Any) -> bool:
        """Whether the arm itself made an object or container."""
        kind = var.mutation_type
        return kind is not None and kind.scope >= self.scope


def trace(tx: Any, function: Any, arguments: list[Any]) -> Arm:
    """Trace ``function(*arguments)`` into a graph of its own; raises Uncarried where that fails.

    Spoiled where the trace itself was changed, so that it must start again.
    """
    journal = Journal(tx)
    drawn = len(tx.output.random_calls)
    with tx.output.subtracer(COND, None, "torch.cond") as tracer:
        arm = Arm(tracer, current_scope_id())
        tracer.unsafe_allow_externally_visible_side_effects = True
        stack = tx.exn_vt_stack
        exceptions, current = list(stack._exc_stack), stack._current_exception
        problem = ""
        try:
            with journal.recording(arm):
                arm.value = function.call_function(tx, arguments, {})
        except ObservedException:
            stack._exc_stack[:] = exceptions
            stack._current_exception = current
            problem = "an arm raises an exception"
        except (RestartAnalysis, SkipFrame):
            raise
        except TorchDynamoException as cause:
            problem = f"Dynamo can't trace an arm: {_first_line(cause)}"
        finally:
            drew = len(tx.output.random_calls) > drawn
            del tx.output.random_calls[drawn:]
        if drew:  # Dynamo would draw the numbers before the graph, whichever arm is taken
            problem = problem or "an arm draws from Python's random numbers"
        other = journal.close(arm)
        if problem or other:
            raise Uncarried(problem or other)
        _check_operators(tracer.graph)
        placeholders = [node for node in tracer.graph.nodes if node.op == "placeholder"]
        for index in tracer.has_input_mutation().mutated_input_indices:
            arm.written.append(placeholders[index].meta["example_value"])
    tx.fake_mode.epoch += 1
    return arm


def _check_operators(graph: torch.fx.Graph) -> None:
    """What an arm's graph does besides computing must be something that a conditional keeps."""
    for node in graph.nodes:
        name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
        if node.op in _CALLS and name in _OF_TENSORS:
            raise Uncarried(f"an arm changes more of a tensor than its values ({name})")
        if node.op == "call_function" and (name in _OF_TORCH or "hook" in name):
            raise Uncarried(f"an arm changes more than tensors ({name})")


_OF_TENSORS = frozenset(
    (
        "as_strided_",
        "backward",
        "detach_",
        "register_hook",
        "rename_",
        "requires_grad_",
        "resize_",
        "resize_as_",
        "retain_grad",
        "set_",
        "share_memory_",
        "squeeze_",
        "swapaxes_",
        "swapdims_",
        "t_",
        "transpose_",
        "unsqueeze_",
    )
)
_OF_TORCH = frozenset(
    (
        "backward",
        "grad",
        "manual_seed",
        "seed",
        "set_default_device",
        "set_default_dtype",
        "set_num_threads",
        "set_float32_matmul_precision",
        "set_rng_state",
        "use_deterministic_algorithms",
    )
)


def _first_line(problem: BaseException) -> str:
    lines = str(problem).strip().splitlines()
    return lines[0] if lines else type(problem).__name__


@dataclass
class _Kept:
    """The state of one variable before an arm."""

    fields: dict[str, Any]
    items: Any
    """A copy of a container's items."""
    modified: bool


class Journal:
    """What Dynamo knows of objects and containers before an arm, and what the arm changes.

    ``without`` are variables whose changes don't count.
    """

    def __init__(self, tx: Any, without: Sequence[Any] = ()) -> None:
        self.tx = tx
        self.effects = tx.output.side_effects
        self.attributes = {k: dict(v) for k, v in self.effects.store_attr_mutations.items()}
        self.kinds = {k: dict(v) for k, v in self.effects.attr_mutation_kinds.items()}
        self.tracked = set(self.effects.id_to_variable)
        self.kept: dict[int, tuple[Any, _Kept]] = {}
        self.dict_written = self.effects._has_existing_dict_mutation
        self.sources = self.effects.mutated_sources.copy()
        self.hooks = len(self.effects.tensor_hooks), len(self.effects.save_for_backward)
        self.modes = torch._C._dynamo.guards.GlobalStateGuard()
        self.restore_modes = _modes()
        self.nodes = {tracer: set(tracer.graph.nodes) for tracer in _tracers(tx)}
        self.visited: dict[int, Any] = {id(var): var for var in without}
        self.unmerged = ""
        self.drawn = len(tx.output.random_calls)
        self.modified = {
            key
            for key, var in self.effects.id_to_variable.items()
            if getattr(var.mutation_type, "is_modified", False)
        }
        frame = tx
        while frame is not None:
            for var in (*frame.symbolic_locals.values(), *frame.stack):
                self._visit(var)
            frame = frame.parent
        for var in list(self.effects.id_to_variable.values()):
            self._visit(var)

    def _visit(self, var: Any) -> None:
        VariableTracker.visit(self._keep, var, self.visited, self.effects)

    def _keep(self, var: Any) -> None:
        if isinstance(var, LazyVariableTracker) and not var.is_realized():
            return
        if var.mutation_type is None or id(var) in self.kept:
            return
        if isinstance(var, TensorVariable):
            self.kept[id(var)] = (var, _Kept({"requires_grad": var.requires_grad}, None, False))
            return
        if isinstance(var, LocalGeneratorObjectVariable) and not _ended(var):
            raise Uncarried("a generator is in use")
        if not isinstance(var, _CHANGING):
            return
        fields = dict(vars(var))
        items = fields.get("items")
        copy = items.copy() if isinstance(items, (list, dict)) else None
        modified = getattr(var.mutation_type, "is_modified", False)
        self.kept[id(var)] = (var, _Kept(fields, copy, modified))

    @contextlib.contextmanager
    def recording(self, arm: Arm) -> Iterator[None]:
        """Keep the state of what Dynamo comes to know meanwhile, before it is changed."""
        track, change = self.effects._track_obj, self.effects.mutation

        def tracked(item: Any, variable: Any, *rest: Any, **named: Any) -> Any:
            made = track(item, variable, *rest, **named)
            if not arm.made(made):
                self._visit(made)
            return made

        def changed(variable: Any) -> Any:
            if id(variable) not in self.kept and not arm.made(variable):
                self.unmerged = "an arm changes an object of a kind that is not merged"
            return change(variable)

        own = vars(self.effects)
        hooks = {**dict.fromkeys(_TRACKING, tracked), "mutation": changed}
        outer = {name: own[name] for name in hooks if name in own}
        own.update(hooks)
        try:
            yield
        finally:
            for name in hooks:
                del own[name]
            own.update(outer)

    def close(self, arm: Arm) -> str:
        """Note in ``arm`` what it changed, and put everything back; gives what can't be merged."""
        effects = self.effects
        problem = self.unmerged
        if effects is not self.tx.output.side_effects:
            raise Spoiled("an arm changes state that can't be put back")
        if self.hooks != (len(effects.tensor_hooks), len(effects.save_for_backward)):
            raise Spoiled("an arm registers a hook")
        if not self.modes.check():
            reason = self.modes.reason().strip()
            self.restore_modes()
            raise Spoiled(f"an arm changes a setting of torch ({reason})")
        for tracer, nodes in self.nodes.items():
            for node in set(tracer.graph.nodes) - nodes:
                if isinstance(node.meta.get("example_value"), torch.Tensor) and node.op in _CALLS:
                    raise Spoiled("an arm adds to what comes before it")
        for var, written in effects.store_attr_mutations.items():
            before = self.attributes.get(var, {})
            for name, value in written.items():
                if before.get(name) is not value and not arm.made(var):
                    kind = effects.attr_mutation_kinds[var][name]
                    arm.attributes[var, name] = (value, kind)
        for var, kept in self.kept.values():
            problem = problem or self._compare(arm, var, kept)
            _put_back(var, kept)
        effects.store_attr_mutations.clear()
        effects.store_attr_mutations.update(self.attributes)
        effects.attr_mutation_kinds.clear()
        effects.attr_mutation_kinds.update(self.kinds)
        effects.mutated_sources = self.sources
        effects._has_existing_dict_mutation = self.dict_written
        for key in set(effects.id_to_variable) - self.tracked:
            if arm.made(effects.id_to_variable[key]):
                del effects.id_to_variable[key]
        effects.keepalive[:] = [
            item for item in effects.keepalive if id(item) in effects.id_to_variable
        ]
        return problem

    def changed(self) -> str:
        """What was changed since that is older, in words; nothing is put back."""
        effects = self.effects
        if effects is not self.tx.output.side_effects or not self.modes.check():
            return "an iteration changes a setting of torch"
        if self.hooks != (len(effects.tensor_hooks), len(effects.save_for_backward)):
            return "an iteration registers a hook"
        if self.drawn != len(self.tx.output.random_calls):
            return "an iteration draws from Python's random numbers"
        for var, written in effects.store_attr_mutations.items():
            before = self.attributes.get(var, {})
            older = id(var) in self.visited or isinstance(
                var.mutation_type, AttributeMutationExisting
            )
            for name, value in written.items():
                if older and before.get(name) is not value:
                    return f"an iteration writes the attribute {name}"
        for var, kept in self.kept.values():
            if isinstance(var, TensorVariable):
                continue  # the graph tells
            if kept.items is None or isinstance(var, IteratorVariable):
                same = all(vars(var).get(name) is value for name, value in kept.fields.items())
            else:
                same = _same(var.items, kept.items)
            if not same:
                return f"an iteration changes a value that is older ({type(var).__name__})"
        for key, var in effects.id_to_variable.items():
            modified = getattr(var.mutation_type, "is_modified", False)
            if modified and id(var) not in self.kept and key not in self.modified:
                return f"an iteration changes a value that is older ({type(var).__name__})"
        return ""

    def _compare(self, arm: Arm, var: Any, kept: _Kept) -> str:
        if isinstance(var, TensorVariable):
            if var.requires_grad is not kept.fields["requires_grad"]:
                raise Spoiled("an arm changes whether a tensor requires a gradient")
            return ""
        if kept.items is None or isinstance(var, IteratorVariable):
            if any(vars(var).get(name) is not value for name, value in kept.fields.items()):
                return "an arm advances an iterator that is older than the branch"
            return ""
        if not _same(var.items, kept.items):
            arm.containers[var] = var.items.copy()
        return ""


def _tracers(tx: Any) -> Iterator[Any]:
    """The graphs that are being written, the innermost first."""
    tracer = tx.output.current_tracer
    while tracer is not None:
        yield tracer
        tracer = tracer.parent


def _modes() -> Callable[[], None]:
    """A function that puts the settings back that the trace of an arm may change."""
    before = [(write, read()) for read, write in _SETTINGS]
    autocast = [(kind, torch.is_autocast_enabled(kind)) for kind in ("cpu", "cuda")]
    cached = torch.is_autocast_cache_enabled()

    def restore() -> None:
        for write, value in before:
            write(value)
        for kind, on in autocast:
            torch.set_autocast_enabled(kind, on)
        torch.set_autocast_cache_enabled(cached)

    return restore


_SETTINGS: tuple[tuple[Any, Any], ...] = (
    (torch.is_grad_enabled, torch._C._set_grad_enabled),
    (torch.get_default_dtype, torch.set_default_dtype),
    (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
)


def _ended(generator: Any) -> bool:
    check = getattr(generator, "_is_generator_exhausted", None)
    return bool(check()) if check is not None else False


def _same(left: Any, right: Any) -> bool:
    if len(left) != len(right):
        return False
    if isinstance(left, dict):
        pairs = zip(left.items(), right.items(), strict=True)
        return all(a[0] == b[0] and a[1] is b[1] for a, b in pairs)
    return all(a is b for a, b in zip(left, right, strict=True))


def _put_back(var: Any, kept: _Kept) -> None:
    own = vars(var)
    own.update(kept.fields)
    if kept.items is None:
        return
    items = own["items"]
    if isinstance(items, dict):
        items.clear()
        items.update(kept.items)
    else:
        items[:] = kept.items
    if isinstance(var.mutation_type, ValueMutationExisting):
        var.mutation_type.is_modified = kept.modified
