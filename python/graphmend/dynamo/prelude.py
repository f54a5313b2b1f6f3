"""Finds, while tracing, what a prelude has to compute, and hands its results to the trace.

Where the trace comes upon a value that only the host can know, the operators that lead to it are
followed back through the graph made so far. If they lead to nothing but inputs of the frame, by
way of operators that compute and nothing else, they become steps of the frame's prelude, and the
value is one more input.
"""

from __future__ import annotations

import functools
import math
import operator
import sys
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.exc import TorchDynamoException
from torch._dynamo.guards import install_guard
from torch._dynamo.source import AttrSource, GlobalSource, GlobalStateSource
from torch._dynamo.variables.builder import VariableBuilder
from torch.fx.experimental.symbolic_shapes import DimDynamic
from torch.utils._python_dispatch import _disable_current_modes
from torch.utils._sympy.printers import PythonPrinter

from graphmend import host, operators, sites, swap
from graphmend.dynamo import entry, kept, operations
from graphmend.dynamo.operations import Unfit

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.fx import Node

_MAX_STEPS = 512
_MAX_ELEMENTS = 1 << 20
"""What one prelude may compute at most: it must stay cheap beside the graph."""
_PLAIN = (int, float, bool, complex, str, type(None), type(Ellipsis), torch.dtype, torch.device)
_MORE = (torch.layout, torch.memory_format)
_DISCRETE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool)


def problem(tx: Any) -> str:
    """Why no prelude can be used in this trace; empty when one can."""
    if not tx.output.is_root_tracer():
        return "a higher-order operator is being traced"
    if kept.inside(tx):
        return kept.REASON
    known: str | None = tx.output.__dict__.get("_graphmend_host_problem")
    if known is None:
        known = _problem(tx)
        tx.output.__dict__["_graphmend_host_problem"] = known
    return known


def _problem(tx: Any) -> str:
    from graphmend.dynamo.handlers import backend_of

    shim = backend_of(tx)
    if shim is None or tx.output.root_tx.f_code in shim.uncaptured:
        return "a trace with values of the host failed before"
    if torch._C._len_torch_function_stack():
        return "a torch function mode is active"
    return entry.problem(tx)


class Prelude:
    """The prelude of the frame that is being traced."""

    def __init__(self, tx: Any) -> None:
        from torch._dynamo.guards import _get_closure_vars

        self.output = tx.output
        self.program = host.Program(_get_closure_vars())
        self.slots: dict[Node, int] = {}
        self.names: dict[tuple[Any, ...], int] = {}
        self.elements = 0
        self.sources: dict[str, int] = {}
        """The slots of what was handed over, by the names of their sources."""
        self.handed: dict[tuple[Node, type], Any] = {}
        """Variables of what was handed over before."""
        self.last_write: dict[int, Node] = {}
        self.keys: dict[Node, Any] = {}
        entry.guard()
        made = functools.partial(_only_with, self.program, tx.output.global_scope)
        install_guard(GlobalStateSource().make_guard(made))

    def value(self, node: Node) -> Any:
        """The value of a node for the inputs of this call, from now on computed by the prelude."""
        needed = self._needed(node)
        written = self._written(needed)
        if len(self.program.work) + len(needed) > _MAX_STEPS:
            raise Unfit("it takes too many operators")
        program = self.program
        before = len(program.work), program.slots, dict(self.slots), len(program.written)
        try:
            for item in self.output.graph.nodes:
                if item in needed and item not in self.slots:
                    self._check_order(item)
                    self._add(item)
            for item in written:
                self._note_written(item, needed)
            self._check_versions(needed)
        except BaseException:
            del program.work[before[0] :]
            del program.values[before[1] :]
            del program.written[before[3] :]
            program.slots, self.slots = before[1], before[2]
            raise
        return program.values[self.slots[node]]

    def _needed(self, node: Node) -> set[Node]:
        """The nodes that a value needs, writes to what they use included."""
        needed: set[Node] = set()
        work = [node]
        storages: set[int] = set()
        while work:
            while work:
                item = work.pop()
                if item not in needed:
                    needed.add(item)
                    if operations.is_size(item):
                        continue
                    storages.update(operations.storages(item))
                    work.extend(item.all_input_nodes)
                    if len(needed) > 4 * _MAX_STEPS:
                        raise Unfit("it takes too many operators")
            work += [
                item
                for item in self.output.graph.nodes
                if item not in needed and storages & set(operations.written(item))
            ]
        return needed

    def _written(self, needed: set[Node]) -> list[Node]:
        """The inputs that are written before; none is an input of the slice, by any name."""
        inputs = {
            storage
            for node in needed
            if node.op in ("placeholder", "get_attr")
            for storage in operations.storages(node)
        }
        found = []
        for node in self.output.graph.nodes:
            example = node.meta.get("example_value")
            if not isinstance(example, torch.Tensor) or not operations.version(example):
                continue
            if inputs & set(operations.storages(node)):
                raise Unfit("an input that it depends on is written before")
            if node.op == "placeholder":
                found.append(node)
        return found

    def _note_written(self, node: Node, needed: set[Node]) -> None:
        """An input is written before a read: no input of the read may share its memory."""
        code = self._code(node)
        slots = [self.slots[item] for item in needed if self._is_tensor_input(item)]
        values = [self.program.values[slot] for slot in slots]
        if host.overlap(node.meta["grapharg"].example, values):
            raise Unfit("an input that it depends on is written before")
        if (code, tuple(slots)) not in self.program.written:
            self.program.written.append((code, tuple(slots)))

    def _is_tensor_input(self, node: Node) -> bool:
        example = node.meta.get("example_value")
        return node.op in ("placeholder", "get_attr") and isinstance(example, torch.Tensor)

    def _check_order(self, node: Node) -> None:
        """What an earlier read wrote in place is not asked for as it was before."""
        for storage in operations.touched(node):
            write = self.last_write.get(storage)
            if write is not None and node < write:
                raise Unfit("it depends on a tensor as it was before a write")
        self.last_write.update(dict.fromkeys(operations.written(node), node))

    def _check_versions(self, needed: set[Node]) -> None:
        """Every write that the trace knows of is a step."""
        for node in needed:
            example, value = node.meta.get("example_value"), self.program.values[self.slots[node]]
            if not isinstance(example, torch.Tensor) or node.op == "placeholder":
                continue
            if operations.version(example) != operations.version(value):
                raise Unfit("it depends on a tensor that is written in a way not understood")

    def _code(self, node: Node) -> Any:
        argument: Any = node.meta.get("grapharg")
        source: Any = getattr(argument, "source", None)
        if source is None or argument.pass_arg_as_tensor or host.NAME in source.name:
            raise Unfit("it depends on an input that can't be looked up")
        return compile(source.name, "<prelude>", "eval")

    def _add(self, node: Node) -> None:
        program = self.program
        slot = program.slot()
        program.values.append(None)
        if operations.is_size(node):
            value = self._size(node, slot)
        elif node.op == "placeholder":
            value = self._input(node, slot)
        elif node.op == "get_attr":
            value = self._constant(node, slot)
        else:
            if node.op not in ("call_function", "call_method") or not operations.allowed(node):
                raise Unfit(f"{node.target} may do more than compute")
            step = host.Step(
                slot,
                node.target,
                tuple(self._argument(item) for item in node.args),
                {name: self._argument(item) for name, item in node.kwargs.items()},
            )
            value = self._perform(step)
            program.work.append(step)
            _check_same(node, value)
        program.values[slot] = value
        self.slots[node] = slot

    def _input(self, node: Node, slot: int) -> Any:
        code = self._code(node)
        argument = node.meta["grapharg"]
        try:
            value = self.program.evaluate(code, self.output.global_scope, self.output.local_scope)
        except Exception:
            raise Unfit("it depends on an input that can't be looked up") from None
        example = argument.example
        if isinstance(example, torch.Tensor):
            if (
                value is not example
                or value.layout is not torch.strided
                or operations.is_wrapped(value)
            ):
                raise Unfit("it depends on a tensor that is not plain")
            made = host.Input(slot, code, value.dtype, value.device, value.dim())
        else:
            made = host.Input(slot, code)
        if not made.fits(value):
            raise Unfit("it depends on a value that is no plain tensor or integer")
        self.program.work.append(made)
        return value

    def _size(self, node: Node, slot: int) -> int:
        """A number that follows from sizes of inputs."""
        number = node.meta["example_value"]
        expression, symbols = number.node.expr, self.output.shape_env
        names: list[str] = []
        refs: list[host.Ref] = []
        for symbol in sorted(expression.free_symbols, key=str):
            sources = symbols.var_to_sources.get(symbol)
            if not sources:
                raise Unfit("it depends on a size that can't be looked up")
            names.append(str(symbol))
            own = [self.sources[one.name] for one in sources if one.name in self.sources]
            if own:
                refs.append(host.Ref(own[0]))
                continue
            code = compile(sources[0].name, "<prelude>", "eval")
            made = host.Input(self.program.slot(), code)
            try:
                value = self.program.evaluate(
                    code, self.output.global_scope, self.output.local_scope
                )
            except Exception:
                raise Unfit("it depends on a size that can't be looked up") from None
            if not made.fits(value):
                raise Unfit("it depends on a size that can't be looked up")
            self.program.work.append(made)
            self.program.values.append(value)
            refs.append(host.Ref(made.slot))
        text = f"lambda {', '.join(names)}: {PythonPrinter().doprint(expression)}"
        step = host.Step(slot, eval(text, {"math": math, "torch": torch}), tuple(refs), {})
        self.program.work.append(step)
        values = self.program.values
        return int(step.target(*[values[ref.slot] for ref in refs]))

    def _constant(self, node: Node, slot: int) -> Any:
        value = self.output.nn_modules.get(node.target)
        if type(value) is not torch.Tensor or isinstance(value, torch._subclasses.FakeTensor):
            raise Unfit("it depends on an object of the graph")
        self.program.work.append(host.Step(slot, _same, (value,), {}))
        return value

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, torch.fx.Node):
            return host.Ref(self.slots[argument])
        if isinstance(argument, (tuple, list)):
            made = [self._argument(item) for item in argument]
            return made if isinstance(argument, list) else tuple(made)
        if isinstance(argument, slice):
            return slice(
                self._argument(argument.start),
                self._argument(argument.stop),
                self._argument(argument.step),
            )
        if isinstance(argument, dict):
            return {name: self._argument(item) for name, item in argument.items()}
        if type(argument) in _PLAIN or isinstance(argument, _MORE):
            return argument
        raise Unfit(f"it uses a {type(argument).__name__}")

    def _inputs(self) -> set[int]:
        """The storages of the inputs."""
        values = [self.program.values[item.slot] for item in self.program.work if _is_input(item)]
        return {operations.storage(value) for value in values if isinstance(value, torch.Tensor)}

    def _perform(self, step: host.Step) -> Any:
        mode = operations.Pure(self._inputs())
        try:
            with (
                _disable_current_modes(),
                host.alone(),
                mode,
            ):
                value = host.perform(step, self.program.values)
        except Unfit:
            raise
        except Exception as raised:
            raise Unfit(f"it raises {type(raised).__name__} here") from None
        self.elements += mode.elements
        if self.elements > _MAX_ELEMENTS:
            raise Unfit("it computes too much")
        return value

    def hand(self, tx: Any, node: Node, value: Any, index: int | None = None) -> Any:
        """The value, or that of the node's ``index``-th part, as an input of the frame."""
        if isinstance(value, torch.Tensor) and operations.storage(value) in self._inputs():
            raise Unfit("it is a view of an input")
        name, copied = self._name(node, value, index)
        if copied:
            value = value.clone()
        slot = self.slots[node]
        fake: Any = node.meta.get("example_value")
        if index is not None:
            program, whole = self.program, slot
            slot, fake = program.slot(), fake[index]
            program.work.append(host.Step(slot, operator.getitem, (host.Ref(whole), index), {}))
            program.values.append(value)
        sizes = fake.shape if isinstance(fake, torch.Tensor) else ()
        unknown = [index for index, size in enumerate(sizes) if not isinstance(size, int)]
        return self._hand(tx, slot, name, value, unknown, copied)

    def _hand(
        self, tx: Any, slot: int, name: str, value: Any, unknown: Any, copied: bool = False
    ) -> Any:
        """A result of the program as an input; ``unknown`` are the sizes that only it knows."""
        self.program.results.append((slot, name, copied))
        setattr(host.store, name, value)
        swap.lend(tx.output.global_scope, host.NAME, host.store)
        source = AttrSource(GlobalSource(host.NAME), name)
        builder = VariableBuilder(tx, source)
        self.sources[source.name] = slot
        if type(value) is int:
            changing = _changing(tx, name, value)
            return builder.wrap_symint(value, dynamism=DimDynamic.DYNAMIC if changing else None)
        if isinstance(value, torch.Tensor) and _changing(tx, name, tuple(value.shape)):
            torch._dynamo.maybe_mark_dynamic(value, unknown)
        made = builder(value)
        if isinstance(value, torch.Tensor):
            # What is read of it later comes from the step that made it.
            self.slots[made.as_proxy().node] = slot
        return made

    def hand_as(self, tx: Any, node: Node, kind: type) -> Any:
        """What ``kind`` makes of a node's value, as an input of the frame."""
        known = self.handed.get((node, kind))
        if known is None:
            known = self.handed[node, kind] = self._hand_as(tx, node, kind)
        return known

    def hand_places(self, tx: Any, mask: Node) -> list[Any]:
        """Where a mask is true, as inputs of the frame."""
        known = self.handed.get((mask, tuple))
        if known is not None:
            return list(known)
        program, made = self.program, []
        whole = host.Step(program.slot(), torch.nonzero, (host.Ref(self.slots[mask]),), {})
        value = self._perform(whole)
        program.work.append(whole)
        program.values.append(value)
        for column in range(mask.meta["example_value"].dim()):
            slot = program.slot()
            step = host.Step(slot, torch.select, (host.Ref(whole.slot), 1, column), {})
            one = self._perform(step)
            program.work.append(step)
            program.values.append(one)
            # Contiguous, as the operator that takes masks makes them, and shared with nothing.
            name, _ = self._name(mask, one, f"places {column}")
            made.append(self._hand(tx, slot, name, one.clone(), [0], True))
        self.handed[mask, tuple] = made
        return made

    def _hand_as(self, tx: Any, node: Node, kind: type) -> Any:
        program = self.program
        slot = program.slot()
        step = host.Step(slot, kind, (host.Ref(self.slots[node]),), {})
        value = self._perform(step)
        program.work.append(step)
        program.values.append(value)
        name, _ = self._name(node, value, kind.__name__)
        return self._hand(tx, slot, name, value, ())

    def _name(self, node: Node, value: Any, index: int | str | None) -> tuple[str, bool]:
        """A name in the store, the same whenever the same is computed for this frame."""
        key = (self._key(node), index)
        count = self.names[key] = self.names.get(key, -1) + 1
        name = f"v{_NAMES.setdefault((key, count), len(_NAMES))}"
        return name, count > 0 and isinstance(value, torch.Tensor)

    def _key(self, node: Node) -> Any:
        known = self.keys.get(node)
        if known is not None:
            return known
        for item in self.output.graph.nodes:
            if item not in self.slots or item in self.keys:
                continue
            if item.op == "placeholder":
                made: Any = (id(self.output.root_tx.f_code), item.meta["grapharg"].source.name)
            else:
                parts = torch.fx.node.map_arg((item.args, item.kwargs), self.keys.get)
                made = (item.op, str(item.target), str(parts))
            self.keys[item] = _KEYS.setdefault(made, len(_KEYS))
        return self.keys[node]


_KEYS: dict[Any, int] = {}
_NAMES: dict[Any, int] = {}


def _is_input(item: host.Input | host.Step) -> bool:
    return isinstance(item, host.Input) or item.target is _same


def _same(value: Any) -> Any:
    return value


def _changing(tx: Any, name: str, value: Any) -> bool:
    """Whether host values of this callable were seen to change from call to call."""
    from graphmend.dynamo.handlers import backend_of

    shim = backend_of(tx)
    if shim.host_values.setdefault(name, value) != value:
        shim.host_changes = True
    return bool(shim.host_changes and torch._dynamo.config.automatic_dynamic_shapes)


def _check_same(node: Node, value: Any) -> None:
    """What was computed is what the trace knows, and nothing wrote it that is not a step."""
    example = node.meta.get("example_value")
    if isinstance(example, torch.Tensor):
        if not isinstance(value, torch.Tensor) or example.dtype is not value.dtype:
            raise Unfit("it gives another type before the region")
        if example.device != value.device or example.dim() != value.dim():
            raise Unfit("it gives another kind of tensor before the region")


def _only_with(program: host.Program, scope: dict[str, Any], builder: Any, guard: Any) -> None:
    """Let the compiled code be used where its prelude could be computed."""

    def ran(variables: dict[str, Any]) -> bool:
        call = operators.state.call
        if call is None:
            return False
        known = call.preludes.get(program)
        if known is None:
            frame = sys._getframe(1)
            if not entry.may_check(frame):
                return False
            known = call.preludes[program] = program.run(scope, variables)
        return known

    builder.guard_manager.root.add_lambda_guard(
        ran, ["values that the host reads, from the inputs"], guard.user_stack
    )


def of(tx: Any) -> Prelude:
    """The prelude of the frame that is being traced."""
    made: Prelude | None = tx.output.__dict__.get("_graphmend_prelude")
    if made is None:
        from graphmend.dynamo.handlers import backend_of

        made = tx.output.__dict__["_graphmend_prelude"] = Prelude(tx)
        backend_of(tx).captured = True
    return made


def _try(tx: Any, make: Callable[[Prelude], Any]) -> tuple[Any, str]:
    """What a prelude makes, or None and why it can't."""
    reason = problem(tx)
    if reason:
        return None, reason
    try:
        return make(of(tx)), ""
    except Unfit as unfit:
        return None, str(unfit)
    except TorchDynamoException:
        raise
    except Exception as broken:
        return None, f"internal problem: {type(broken).__name__}: {broken}"


def _made(tx: Any, make: Callable[[Prelude], Any]) -> Any:
    made, _ = _try(tx, make)
    if made is not None:
        note(tx, "prelude")
    return made


def constant(tx: Any, node: Node) -> Any:
    """The number that a node gives, as a constant that is guarded where it can be, or None."""

    def make(prelude: Prelude) -> Any:
        value = prelude.value(node)
        return prelude.hand(tx, node, value) if type(value) in (bool, int, float) else None

    return _made(tx, make)


def integer(tx: Any, node: Node) -> Any:
    """The integer that a tensor of no dimension holds, as a variable, or None."""
    return _made(tx, lambda prelude: (prelude.value(node), prelude.hand_as(tx, node, int))[1])


def truth(tx: Any, node: Node) -> Any:
    """The truth of a tensor of one element as a constant that is guarded, or None."""
    return _made(tx, lambda prelude: (prelude.value(node), prelude.hand_as(tx, node, bool))[1])


def places(tx: Any, mask: Node) -> list[Any] | None:
    """The places where a mask is true, a variable for each dimension, or None."""

    def make(prelude: Prelude) -> list[Any]:
        prelude.value(mask)
        return prelude.hand_places(tx, mask)

    made: list[Any] | None = _made(tx, make)
    return made


def build(tx: Any, node: Node, example: Any) -> Any:
    """What stands for a node whose value the prelude computes, or None when it can't."""
    if problem(tx):
        return None
    if isinstance(example, (torch.SymBool, torch.SymFloat)):
        note(tx, "capture")
        return None  # a branch on it asks again
    items = example if isinstance(example, (tuple, list)) else [example]
    if any(isinstance(item, torch.Tensor) and item.dtype not in _DISCRETE for item in items):
        if not any(
            operations.has_unbacked(item.meta.get("example_value")) for item in node.all_input_nodes
        ):
            note(tx, "capture", "not computed before the region: it is more than an index")
        return None

    def make(prelude: Prelude) -> Any:
        value = prelude.value(node)
        if isinstance(value, (tuple, list)):
            return _several(tx, prelude, node, value, example)
        return prelude.hand(tx, node, value)

    made, reason = _try(tx, make)
    note(tx, "capture" if reason else "prelude", reason and f"not computed before: {reason}")
    return made


def _several(tx: Any, prelude: Prelude, node: Node, values: Any, example: Any) -> Any:
    """A tuple of tensors, each an input."""
    from torch._dynamo.variables.lists import ListVariable, TupleVariable

    if not all(isinstance(item, torch.Tensor) for item in example):
        raise Unfit("it gives more than tensors")
    if type(values) not in (tuple, list) or len(values) != len(example):
        raise Unfit("it gives several values in an unusual form")
    items = [prelude.hand(tx, node, value, index) for index, value in enumerate(values)]
    return TupleVariable(items) if type(values) is tuple else ListVariable(items)


def note(tx: Any, mend: str, reason: str = "") -> None:
    """Tell the report what became of the read that is being traced."""
    from graphmend.dynamo.handlers import backend_of

    code = tx.f_code
    backend_of(tx).note(code.co_filename, tx.lineno or 0, code.co_qualname, mend, reason)
    if mend == "prelude":
        of(tx).program.profiled[profiled(tx)] = None


def profiled(tx: Any) -> str:
    """How profiles show the read that is being traced."""
    return sites.in_profiles("host-read", tx.f_code.co_filename, tx.lineno or 0)
