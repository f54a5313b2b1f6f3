"""One state out of two arms: a conditional in the graph for tensors, a late choice for the rest.

Tensors of equal metadata become outputs of ``torch.cond``. Where a function ends right after the
branch, whatever else the arms give is chosen when the graph has run: both arms' tensors leave the
graph, and the code that Dynamo writes picks by the predicate. So a Python value, a tensor of
another shape, or the very object that was passed in comes out as the original gives it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.eval_frame import skip_code
from torch._dynamo.exc import unimplemented
from torch._dynamo.variables import (
    ConstDictVariable,
    ListVariable,
    TensorVariable,
    TupleVariable,
)
from torch._dynamo.variables.base import ValueMutationNew, VariableTracker
from torch._dynamo.variables.lists import SizeVariable
from torch._dynamo.variables.tensor import SymNodeVariable
from torch._dynamo.variables.user_defined import NamedTupleVariable

from graphmend import operands
from graphmend.dynamo import checks
from graphmend.dynamo.carry import Uncarried

if TYPE_CHECKING:
    from graphmend.dynamo.fork import Arm

Made = Callable[[list[Any]], Any]
"""Makes a merged value from what the conditional gives."""


def pick(flag: Any, chosen: Any, other: Any) -> Any:
    """What the code after a graph calls to choose a value."""
    return chosen if flag else other


skip_code(pick.__code__)  # Dynamo would trace it for itself


class Chosen(VariableTracker):
    """A value that is chosen after the graph; nothing may be asked of it before."""

    _nonvar_fields = {*VariableTracker._nonvar_fields}  # noqa: RUF012 - as in Dynamo

    def __init__(self, flag: Any, chosen: Any, other: Any, **options: Any) -> None:
        super().__init__(**options)
        self.flag = flag
        self.chosen = chosen
        self.other = other

    def reconstruct(self, codegen: Any) -> None:
        """Write the choice: ``pick(flag, chosen, other)``."""
        from torch._dynamo.bytecode_transformation import create_call_function

        codegen.add_push_null(lambda: codegen.load_import_from(__name__, "pick"))
        codegen(self.flag)
        codegen(self.chosen)
        codegen(self.other)
        codegen.extend_output(create_call_function(3, False))

    def _unknown(self, *_: Any, **__: Any) -> Any:
        unimplemented(
            gb_type="a value that is chosen after the graph",
            context="",
            explanation="A mended branch chooses this Python value by a tensor.",
            hints=[],
        )

    bool_impl = _unknown
    call_function = _unknown
    call_method = _unknown
    call_obj_hasattr = _unknown
    get_real_python_backed_value = _unknown
    hash_impl = _unknown
    is_hashable = _unknown
    python_type = _unknown
    richcompare_impl = _unknown
    var_getattr = _unknown


@dataclass(frozen=True)
class Slot:
    """One output of the conditional: a tensor of each arm, or of one of them."""

    left: Any
    right: Any

    def requires_grad(self) -> bool:
        """Whether a gradient may come through it."""
        return any(
            value is not None and checks.fake(value).requires_grad
            for value in (self.left, self.right)
        )


class Merger:
    """Merges values of two arms; collects the outputs that the conditional must have.

    ``late``: what can't be a tensor may be chosen after the graph.
    """

    def __init__(self, tx: Any, flag: Any, arms: tuple[Arm, Arm], late: bool, zero: bool) -> None:
        self.tx = tx
        self.flag = flag
        self.arms = arms
        self.late = late
        self.zero = zero
        self.slots: list[Slot] = []
        self.outer = [_outer_fakes(arm) for arm in arms]
        self._known: dict[tuple[int, int], Made] = {}
        self._lists: dict[tuple[int, int], Any] = {}
        self._exported: dict[tuple[int, int], Made] = {}
        self._storages: tuple[dict[int, Any], dict[int, Any]] = ({}, {})

    def merge(self, left: Any, right: Any) -> Made:
        """How to make the value that is ``left`` in one arm and ``right`` in the other."""
        left, right = left.realize(), right.realize()
        if left is right:
            return lambda _: left
        key = (id(left), id(right))
        made = self._known.get(key)
        if made is None:
            made = self._known[key] = self._merge(left, right)
        return made

    def _merge(self, left: Any, right: Any) -> Made:
        if _equal_constants(left, right):
            return lambda _: left
        if isinstance(left, Chosen) or isinstance(right, Chosen):
            return self._choice(left, right)
        if isinstance(left, SymNodeVariable) and isinstance(right, SymNodeVariable):
            return self._symbols(left, right)
        if isinstance(left, TensorVariable) and isinstance(right, TensorVariable):
            same = self._same_outer(left, right)
            if same is not None:
                return lambda _: same
            problem = self._mismatch(left, right)
            if not problem:
                return self._slot(left, right)
            if not self.late:
                raise Uncarried(problem)
        structure = self._structure(left, right)
        if structure is not None:
            return structure
        return self._choice(left, right)

    def _choice(self, left: Any, right: Any) -> Made:
        if not self.late:
            raise Uncarried("the arms give Python values that differ")
        first, second = self.export(left, 0), self.export(right, 1)
        return lambda results: Chosen(self.flag, first(results), second(results))

    def _mismatch(self, left: Any, right: Any) -> str:
        """Why two tensors can't be one output of the conditional."""
        if type(left) is not TensorVariable or type(right) is not TensorVariable:
            return "the arms give values of different classes"
        fakes = checks.fake(left), checks.fake(right)
        problem = checks.same_metadata(*fakes)
        if problem:
            return problem
        apart = torch.is_grad_enabled() and fakes[0].requires_grad != fakes[1].requires_grad
        if apart and (self.late or not self.zero):
            return "only one arm requires a gradient"
        if self.late and any(self._is_outer(v, n) for n, v in enumerate((left, right))):
            return "an arm gives a tensor from outside"
        return ""

    def _symbols(self, left: Any, right: Any) -> Made:
        if left.sym_num.node.expr == right.sym_num.node.expr:
            for arm, var in zip(self.arms, (left, right), strict=True):
                if var.as_proxy().tracer is not arm.tracer:
                    return lambda _: var
        raise Uncarried("the arms give numbers that differ")

    def _same_outer(self, left: Any, right: Any) -> Any:
        """The variable from outside that both arms give; None where there is none."""
        first, second = checks.fake(left), checks.fake(right)
        if first is not second:
            return None
        for number, var in enumerate((left, right)):
            if self._proxy_is_outer(var, number):
                return var
        return None

    def _proxy_is_outer(self, var: Any, number: int) -> bool:
        return var.as_proxy().tracer is not self.arms[number].tracer

    def gives_outer(self, value: Any, number: int) -> bool:
        """Whether what an arm gives is a tensor from outside, or holds one."""
        found = False

        def visit(var: Any) -> None:
            nonlocal found
            found = found or (isinstance(var, TensorVariable) and self._is_outer(var, number))

        VariableTracker.visit(visit, value.realize())
        return found

    def _is_outer(self, var: Any, number: int) -> bool:
        return self._proxy_is_outer(var, number) or id(checks.fake(var)) in self.outer[number].ids

    def _check_storage(self, var: Any, number: int) -> None:
        """A tensor that an arm gives must not share its memory with another that is visible."""
        fake = checks.fake(var)
        storage = checks.storage(fake)
        if storage in self.outer[number].storages and not self._is_outer(var, number):
            raise Uncarried("an arm gives a view of a tensor from outside")
        known = self._storages[number].setdefault(storage, fake)
        if known is not fake:
            raise Uncarried("an arm gives tensors that share memory")

    def _slot(self, left: Any, right: Any) -> Made:
        self._check_storage(left, 0)
        self._check_storage(right, 1)
        return self._add(Slot(left, right))

    def _add(self, slot: Slot) -> Made:
        number = len(self.slots)
        self.slots.append(slot)
        return lambda results: results[number]

    def _structure(self, left: Any, right: Any) -> Made | None:
        """Containers of one shape, merged item by item."""
        if type(left) is not type(right) or not self._fresh(left, right):
            return None
        if isinstance(left, (ListVariable, TupleVariable, SizeVariable)):
            if len(left.items) != len(right.items):
                return None
            parts = [self.merge(a, b) for a, b in zip(left.items, right.items, strict=True)]
            return self._rebuilt(left, parts)
        if isinstance(left, NamedTupleVariable):
            if left.python_type() is not right.python_type():
                return None
            first: Any = left._base_vt
            second: Any = right._base_vt
            parts = [self.merge(a, b) for a, b in zip(first.items, second.items, strict=True)]
            return _named_tuple(left, parts)
        if type(left) is ConstDictVariable:
            if list(left.items) != list(right.items) or left.user_cls is not right.user_cls:
                return None
            pairs = zip(left.items.items(), right.items.values(), strict=True)
            made = [(key, self.merge(a, b)) for (key, a), b in pairs]
            return self._rebuilt_dict(left, made)
        return None

    def _fresh(self, left: Any, right: Any) -> bool:
        """Mutable containers must be the arms' own, and stand for each other everywhere."""
        for number, (var, other) in enumerate(((left, right), (right, left))):
            if var.mutation_type is None:
                continue
            if not self.arms[number].made(var):
                return False
            known = self._lists.setdefault((number, id(var)), other)
            if known is not other:
                raise Uncarried("the arms share containers in different ways")
        return True

    def _rebuilt(self, var: Any, parts: list[Made]) -> Made:
        kind = type(var)
        mutable = var.mutation_type is not None
        memo: list[Any] = []

        def make(results: list[Any]) -> Any:
            if not memo:
                options = {"mutation_type": ValueMutationNew()} if mutable else {}
                memo.append(kind([part(results) for part in parts], **options))
            return memo[0]

        return make

    def _rebuilt_dict(self, var: Any, parts: list[tuple[Any, Made]]) -> Made:
        memo: list[Any] = []

        def make(results: list[Any]) -> Any:
            if not memo:
                items = {key.vt: part(results) for key, part in parts}
                memo.append(
                    ConstDictVariable(items, var.user_cls, mutation_type=ValueMutationNew())
                )
            return memo[0]

        return make

    # ------------------------------------------------------------ late choice
    def export(self, var: Any, number: int) -> Made:
        """How to make, after the graph, a value that one arm gives."""
        var = var.realize()
        key = (number, id(var))
        made = self._exported.get(key)
        if made is None:
            made = self._exported[key] = self._export(var, number)
        return made

    def _export(self, var: Any, number: int) -> Made:
        if isinstance(var, Chosen):
            flag = self.export(var.flag, number)
            chosen, other = self.export(var.chosen, number), self.export(var.other, number)
            return lambda results: Chosen(flag(results), chosen(results), other(results))
        if isinstance(var, TensorVariable):
            return self._export_tensor(var, number)
        if isinstance(var, SymNodeVariable):
            if not self._proxy_is_outer(var, number):
                raise Uncarried("an arm gives a number that it computes")
            return lambda _: var
        if var.is_python_constant() and var.mutation_type is None:
            return lambda _: var
        mutable = var.mutation_type is not None
        if mutable and not self.arms[number].made(var):
            if var in self.arms[0].containers or var in self.arms[1].containers:
                raise Uncarried("an arm changes a container that it gives")
            return lambda _: var
        if mutable:
            self._lists.setdefault((number, id(var)), None)
            if self._lists[number, id(var)] is not None:
                raise Uncarried("the arms share containers in different ways")
        if isinstance(var, (ListVariable, TupleVariable, SizeVariable)):
            return self._rebuilt(var, [self.export(item, number) for item in var.items])
        if isinstance(var, NamedTupleVariable):
            base: Any = var._base_vt
            return _named_tuple(var, [self.export(item, number) for item in base.items])
        if type(var) is ConstDictVariable:
            pairs = [(key, self.export(item, number)) for key, item in var.items.items()]
            return self._rebuilt_dict(var, pairs)
        raise Uncarried(f"an arm gives a value of a kind that is not chosen ({_kind(var)})")

    def _export_tensor(self, var: Any, number: int) -> Made:
        if self._proxy_is_outer(var, number):
            return lambda _: var
        if self._is_outer(var, number):
            raise Uncarried("an arm gives a tensor from outside that it wrote in place")
        if type(var) is not TensorVariable:
            raise Uncarried("an arm gives a tensor of a class of its own")
        self._check_storage(var, number)
        return self._add(Slot(var, None) if number == 0 else Slot(None, var))


def _named_tuple(var: Any, parts: list[Made]) -> Made:
    def make(results: list[Any]) -> Any:
        base: Any = var._base_vt
        items = [part(results) for part in parts]
        return var.clone(tuple_vt=base.clone(items=items), source=None)

    return make


def _kind(var: Any) -> str:
    if isinstance(var, Chosen):
        return "a chosen one"
    try:
        return str(var.python_type().__name__)
    except NotImplementedError:
        return type(var).__name__


def _equal_constants(left: Any, right: Any) -> bool:
    if left.mutation_type is not None or right.mutation_type is not None:
        return False
    if not left.is_python_constant() or not right.is_python_constant():
        return False
    one, two = left.as_python_constant(), right.as_python_constant()
    return one is two or operands.Constant(one) == operands.Constant(two)


@dataclass(frozen=True)
class _Outer:
    ids: frozenset[int]
    storages: frozenset[int]


def _outer_fakes(arm: Arm) -> _Outer:
    """The tensors from outside that an arm's graph uses."""
    fakes = [proxy.node.meta.get("example_value") for proxy in arm.tracer.lifted_freevars]
    tensors = [fake for fake in fakes if isinstance(fake, torch.Tensor)]
    return _Outer(frozenset(map(id, tensors)), frozenset(checks.storage(fake) for fake in tensors))
