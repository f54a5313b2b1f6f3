"""Operands while tracing: from Dynamo's variables to plans and operator arguments."""

from __future__ import annotations

import dataclasses
import functools
import logging
import types
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.guards import GuardBuilder, install_guard
from torch._dynamo.side_effects import SideEffects
from torch._dynamo.variables import (
    ConstantVariable,
    ConstDictVariable,
    ListVariable,
    NumpyNdarrayVariable,
    TensorVariable,
    TupleVariable,
    UnspecializedPythonVariable,
    UserDefinedObjectVariable,
)
from torch._dynamo.variables.base import (
    AttributeMutationNew,
    ValueMutationNew,
    VariableTracker,
)
from torch._dynamo.variables.lists import SizeVariable
from torch._dynamo.variables.misc import LoggingLoggerVariable
from torch._dynamo.variables.sets import SetVariable
from torch._dynamo.variables.tensor import SymNodeVariable
from torch._dynamo.variables.user_defined import NamedTupleVariable

from graphmend import operators
from graphmend.operands import Constant, Held, Look, Plan

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHARED = (logging.Logger, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type)
_CACHED = type(functools.lru_cache(lambda: None))
_MAX_LEAVES = 256


class Uncarried(Exception):  # noqa: N818 - a decision, not an error
    """An operand can't be handed to an operator; the text says why."""


class LosesNone(Uncarried):
    """Gradients would be zero where the original leaves None."""


class Spoiled(Exception):  # noqa: N818 - a decision, not an error
    """The attempt changed the trace beyond repair: it must start again without it."""


class Carrier:
    """Takes operands apart; keeps the tensors and integers that the operator receives."""

    def __init__(self, tx: Any) -> None:
        self.tx = tx
        self.tensors: list[VariableTracker] = []
        self.ints: list[VariableTracker] = []
        self.looks: list[Look] = []
        self._seen: dict[int, int] = {}

    def carry(self, operand: VariableTracker) -> Plan:
        """The plan of one operand."""
        var: Any = operand.realize()
        if isinstance(var, UnspecializedPythonVariable):
            return ("number", self._tensor(var))
        if isinstance(var, NumpyNdarrayVariable):
            raise Uncarried("a numpy array is used")
        if isinstance(var, TensorVariable):
            return ("tensor", self._tensor(var))
        if isinstance(var, SymNodeVariable):
            return self._number(var)
        if isinstance(var, (SizeVariable, ListVariable, TupleVariable)):
            return self._sequence(var)
        if isinstance(var, NamedTupleVariable):
            base: Any = var._base_vt
            items = base.items
            return ("named", var.python_type(), tuple(map(self.carry, items)))
        if isinstance(var, ConstantVariable):
            return ("constant", Constant(var.value))
        if isinstance(var, LoggingLoggerVariable):
            return ("object", Held(var.value, strong=True))
        if isinstance(var, SetVariable):
            return ("sequence", var.python_type(), tuple(self._key(key) for key in var.items))
        if isinstance(var, ConstDictVariable):
            pairs = tuple((self._key(k), self.carry(v)) for k, v in var.items.items())
            return ("dict", var.python_type(), pairs)
        return self._object(var)

    def _key(self, key: Any) -> Plan:
        return self.carry(key.vt)

    def _sequence(self, var: Any) -> Plan:
        if len(self.tensors) + len(var.items) > _MAX_LEAVES:
            raise Uncarried("too many values are used")
        return ("sequence", var.python_type(), tuple(map(self.carry, var.items)))

    def _tensor(self, var: Any) -> int:
        node = var.as_proxy().node
        known = self._seen.get(id(node))
        if known is not None:
            return known
        self.looks.append(look(self.tx, var))
        self.tensors.append(var)
        self._seen[id(node)] = len(self.tensors) - 1
        return len(self.tensors) - 1

    def _number(self, var: Any) -> Plan:
        kind = var.python_type()
        if kind is int:
            self.ints.append(var)
            return ("int", len(self.ints) - 1)
        if kind is float:
            self.tensors.append(var.as_tensor(self.tx, torch.float64))
            self.looks.append(Look(False, True, ""))
            return ("number", len(self.tensors) - 1)
        if torch.fx.experimental.symbolic_shapes.free_unbacked_symbols(var.sym_num):
            raise Uncarried("a truth value that depends on data is used")
        return ("constant", Constant(var.evaluate_expr(self.tx.output)))

    def _object(self, var: Any) -> Plan:
        if var.is_python_constant():
            value = var.as_python_constant()
            if isinstance(value, (*_SHARED, _CACHED)):
                return ("object", Held(value, strong=True))
            return ("constant", Constant(value))
        if isinstance(var, UserDefinedObjectVariable):
            value = var.value
            if var.source is None or isinstance(var.mutation_type, AttributeMutationNew):
                return self._made(var, value)
            if not isinstance(value, (*_SHARED, _CACHED)) and pending(self.tx):
                raise Uncarried("an object is used while changes made before are not applied yet")
            install_guard(var.source.make_guard(GuardBuilder.ID_MATCH))
            return ("object", Held(value, strong=isinstance(value, _SHARED)))
        raise Uncarried(f"a value that can't be handed over is used ({type(var).__name__})")

    def _made(self, var: Any, value: Any) -> Plan:
        """A data class made within the trace."""
        if not dataclasses.is_dataclass(value) or isinstance(value, (dict, list, tuple)):
            raise Uncarried(f"an object made while tracing is used ({type(value).__name__})")
        names = tuple(field.name for field in dataclasses.fields(value))
        items = tuple(self.carry(var.var_getattr(self.tx, name)) for name in names)
        return ("dataclass", type(value), items, names)


def note_merged(tx: Any, site: Any, made: Any, values: Sequence[Any]) -> None:
    """Note that a tensor stands for one of ``values``, whose gradient functions text may show."""
    fake = made.as_proxy().node.meta["example_value"]
    if isinstance(fake, torch.Tensor) and fake.grad_fn is not None:
        merged = tx.output.__dict__.setdefault("_graphmend_merged", {})
        looks = [_look(tx, value) for value in values if value is not None]
        same = all(one is not None and one == looks[0] for one in looks)
        chosen = dataclasses.replace(looks[0], merged=True) if same and looks[0] else None
        merged[id(fake)] = (fake, fake.grad_fn, chosen, site)


def look(tx: Any, var: Any) -> Look:
    """What Python code in the original would see of a tensor's autograd state.

    Where that depends on a branch that was mended before, the trace starts again without the mend.
    """
    known = _look(tx, var)
    if known is None:
        site = _merged(tx, var)[3]
        site.refused = "a text that is written later may show which gradient function it took"
        raise operators.Retrace(restart_reason=site.refused)
    return known


def _merged(tx: Any, var: Any) -> Any:
    fake = var.as_proxy().node.meta["example_value"]
    noted = getattr(tx.output, "_graphmend_merged", {}).get(id(fake))
    return noted if noted is not None and noted[1] is fake.grad_fn else None


def _look(tx: Any, var: Any) -> Look | None:
    fake = var.as_proxy().node.meta["example_value"]
    noted = _merged(tx, var)
    if noted is not None:
        chosen: Look | None = noted[2]
        return chosen
    arg = var.as_proxy().node.meta.get("grapharg")
    real = arg.example if arg is not None and isinstance(arg.example, torch.Tensor) else fake
    grad_fn: Any = getattr(real, "grad_fn", None)
    name = type(grad_fn).__name__ if grad_fn is not None else ""
    if name == "CppFunction":
        name = grad_fn.name().rsplit("::", 1)[-1]
    parameter = isinstance(real, torch.nn.Parameter)
    return Look(bool(fake.requires_grad), grad_fn is None, name, parameter)


def note_applied(tx: Any) -> None:
    """Note that the traced changes so far are made by an operator when it runs."""
    tx.output._graphmend_applied = changes(tx)


def pending(tx: Any) -> bool:
    """Whether changes to objects that outlive the call were traced but are not applied yet."""
    applied: dict[int, Any] = getattr(tx.output, "_graphmend_applied", {})
    return any(applied.get(key) != change for key, change in changes(tx).items())


def changes(tx: Any) -> dict[int, Any]:
    """The traced changes to objects that outlive the call, in a form that can be compared."""
    found: dict[int, Any] = {}
    effects: SideEffects = tx.output.side_effects
    for var in effects.id_to_variable.values():
        kind = var.mutation_type
        if isinstance(kind, (AttributeMutationNew, ValueMutationNew)) or kind is None:
            continue
        if not effects.is_modified(var):
            continue
        written = effects.store_attr_mutations.get(var) or {}
        items = getattr(var, "items", ())
        if isinstance(items, dict):
            items = items.values()
        change = {name: id(value) for name, value in written.items()}, list(map(id, items))
        found[id(var)] = change
    return found
