"""What each call of :mod:`graphmend.runtime` becomes while Dynamo traces it."""

from __future__ import annotations

import inspect
import operator
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.eval_frame import innermost_backend
from torch._dynamo.exc import TorchDynamoException, Unsupported, unimplemented
from torch._dynamo.source import AttrSource
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.tensor import SymNodeVariable, TensorVariable
from torch._dynamo.variables.torch import BaseTorchVariable

from graphmend import operands, operators, profiles, sites
from graphmend.dynamo import branch, checks, dense, entry, frames, kept, purity
from graphmend.dynamo.carry import (
    Carrier,
    LosesNone,
    Spoiled,
    Uncarried,
    note_applied,
    note_merged,
    pending,
)

if TYPE_CHECKING:
    from collections.abc import Callable


class Left(Exception):  # noqa: N818 - a decision, not an error
    """The original statement stays; the text says why."""


class RuntimeVariable(BaseTorchVariable):
    """A function of :mod:`graphmend.runtime` while tracing."""

    def call_function(
        self, tx: Any, args: list[VariableTracker], kwargs: dict[str, VariableTracker]
    ) -> Any:
        """Answer the call from what the trace knows."""
        name = self.value.__name__
        if not is_ours(tx):
            return self._plain(tx, name, args, kwargs)
        if name == "may_try":
            return VariableTracker.build(tx, _may_try(tx, args[0].as_python_constant()))
        if name not in _STATEMENTS:
            return _PREDICATES[name](tx, *args)
        bound = inspect.signature(self.value).bind(*args, **kwargs)
        bound.apply_defaults()
        site = sites.find(bound.arguments["site"].as_python_constant())
        unhandled = VariableTracker.build(tx, _UNHANDLED.get(name, False))
        if name == "entries":
            unhandled = bound.arguments["places"]
        strict = "strict" in bound.arguments and bound.arguments["strict"].as_python_constant()
        if site is None:
            return unhandled
        refused = site.refused or (torch.is_grad_enabled() and site.refused_with_gradients)
        if not refused and kept.inside(tx):
            refused = kept.REASON
        if refused:
            _leave(site, refused, strict)
            return unhandled
        try:
            done = _STATEMENTS[name](
                tx, site, **{k: v for k, v in bound.arguments.items() if k != "site"}
            )
        except (Left, Uncarried) as left:
            _leave(site, str(left), strict)
        except Spoiled as spoiled:
            if isinstance(spoiled.__cause__, LosesNone):
                site.refused_with_gradients = str(spoiled)
            else:
                site.refused = str(spoiled)
            raise operators.Retrace from spoiled
        except Unsupported as problem:
            if strict:
                raise
            site.leave(f"Dynamo can't trace the mended form: {str(problem).splitlines()[0]}")
        except TorchDynamoException:
            raise
        except Exception as problem:
            if strict:
                raise
            site.leave(f"internal problem: {type(problem).__name__}: {problem}")
        else:
            site.used += name not in _MARKS
            return done
        return unhandled

    def _plain(self, tx: Any, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Under another compiler's trace nothing is mended."""
        if name == "entries":
            return args[1]
        if name in _PREDICATES and name != "active":
            return _PREDICATES[name](tx, *args)
        return VariableTracker.build(tx, _UNHANDLED.get(name, False))


def _leave(site: Any, reason: str, strict: bool) -> None:
    if strict:
        # The arm around it has no other way: its own branch is left.
        unimplemented(gb_type=reason, context="", explanation=reason, hints=[])
    site.leave(reason)


def is_ours(tx: Any) -> bool:
    """Whether a callable made by :func:`graphmend.compile` is being traced, and not exported."""
    if tx.export or torch.compiler.is_exporting():
        return False
    return backend_of(tx) is not None


def backend_of(tx: Any) -> Any:
    """Our backend when it is the one that the trace is for, else None."""
    return our_backend(tx.output.compiler_fn)


def our_backend(compiler: Any) -> Any:
    """Our backend when it is the innermost one of a compiler and still mends, else None."""
    backend = listener(compiler)
    return backend if backend is not None and not backend.result.off else None


def listener(compiler: Any) -> Any:
    """Our backend when it is the innermost one of a compiler, else None."""
    backend: Any = _innermost(compiler)
    split = getattr(getattr(backend, "__self__", None), "backend_compile_fn", None)
    if split is not None:  # graphs that are split where gradients are exchanged
        backend = _innermost(split)
    return backend if getattr(backend, "graphmend_backend", False) is True else None


def _innermost(compiler: Any) -> Any:
    backend: Any = innermost_backend(compiler)
    return getattr(backend, "compiler_fn", backend)


def _active(tx: Any) -> Any:
    backend = backend_of(tx)
    if backend is not None:
        backend.loops = dense.opened(tx)
    return VariableTracker.build(tx, is_ours(tx))


def _is_tensor(tx: Any, value: Any) -> Any:
    """The answer; and, for a select, where in the trace its arms begin."""
    if _tensor(value) and is_ours(tx):
        begins = tx.output.__dict__.setdefault("_graphmend_begins", {})
        begins[value.as_proxy().node] = torch._C._autograd._get_sequence_nr()
    return VariableTracker.build(tx, _tensor(value))


def _tensor(value: Any) -> bool:
    return isinstance(value, TensorVariable)


def _truth(tx: Any, value: Any) -> Any:
    return VariableTracker.build(tx, bool).call_function(tx, [value], {})


def _rest_and(tx: Any, value: Any) -> Any:
    return VariableTracker.build(tx, True) if _tensor(value) else _truth(tx, value)


def _rest_or(tx: Any, value: Any) -> Any:
    return VariableTracker.build(tx, True) if _tensor(value) else _negation(tx, value)


def _negation(tx: Any, value: Any) -> Any:
    return VariableTracker.build(tx, operator.not_).call_function(tx, [value], {})


def _single(value: Any) -> bool:
    shape = checks.fake(value).shape
    return all(isinstance(size, int) and size == 1 for size in shape)


def _flag(tx: Any, value: Any) -> Any:
    """A tensor of one element, or a symbolic truth value, as a 0-dim bool tensor."""
    if isinstance(value, SymNodeVariable):
        return value.as_tensor(tx, torch.bool)
    tensor = checks.fake(value)
    if tensor.dim():
        value = value.call_method(tx, "reshape", [VariableTracker.build(tx, ())], {})
    if tensor.dtype is not torch.bool:
        value = value.call_method(tx, "bool", [], {})
    return value


def _and(tx: Any, left: Any, right: Any) -> Any:
    return _combine(tx, left, right, conjunction=True)


def _or(tx: Any, left: Any, right: Any) -> Any:
    return _combine(tx, left, right, conjunction=False)


def _combine(tx: Any, left: Any, right: Any, conjunction: bool) -> Any:
    for value in (left, right):
        if _tensor(value) and not _single(value):
            return value  # its truth is an error, which the original statement raises
    if _tensor(left) and _tensor(right):
        function = torch.logical_and if conjunction else torch.logical_or
        flags = [_flag(tx, left), _flag(tx, right)]
        return VariableTracker.build(tx, function).call_function(tx, flags, {})
    if not _tensor(left):
        decides = _truth(tx, left)
        if decides.is_python_constant():
            return right if decides.as_python_constant() is conjunction else left
        if not _tensor(right):
            python = operator.and_ if conjunction else operator.or_
            truths = [decides, _truth(tx, right)]
            return VariableTracker.build(tx, python).call_function(tx, truths, {})
        flags = [_flag(tx, decides), _flag(tx, right)]
        function = torch.logical_and if conjunction else torch.logical_or
        return VariableTracker.build(tx, function).call_function(tx, flags, {})
    decides = _truth(tx, right)
    if decides.is_python_constant():
        # A truth that is decided is not changed by the tensor, which has one element.
        decided = decides.as_python_constant() is not conjunction
        return VariableTracker.build(tx, not conjunction) if decided else _flag(tx, left)
    flags = [_flag(tx, left), _flag(tx, decides)]
    function = torch.logical_and if conjunction else torch.logical_or
    return VariableTracker.build(tx, function).call_function(tx, flags, {})


def _not(tx: Any, value: Any) -> Any:
    if not _tensor(value):
        return _negation(tx, value)
    if not _single(value):
        return value
    return VariableTracker.build(tx, torch.logical_not).call_function(tx, [_flag(tx, value)], {})


_PREDICATES: dict[str, Callable[..., Any]] = {
    "active": _active,
    "is_tensor": _is_tensor,
    "rest_and": _rest_and,
    "rest_or": _rest_or,
    "and_": _and,
    "or_": _or,
    "not_": _not,
}


def _items(value: Any) -> list[Any]:
    return [item.realize() for item in value.realize().items]


_ONCE = frozenset({"__call__", "__init__", "__post_init__", "__new__", "__enter__", "__exit__"})
"""Special methods that Dynamo calls where and as often as Python does."""


def _check_place(tx: Any) -> None:
    if not tx.output.is_root_tracer():
        raise Left("the statement is inside a function that a higher-order operator traces")
    inner = tx
    while inner.parent is not None:
        name = inner.f_code.co_name
        if name.startswith("__") and name.endswith("__") and name not in _ONCE:
            raise Left(f"Dynamo may call {name} at other times than Python does")
        inner = inner.parent


def _predicate(tx: Any, pred: Any) -> Any:
    if not _tensor(pred) or not _single(pred):
        raise Left("the predicate has not exactly one element")
    return _flag(tx, pred)


def _run(tx: Any, site: Any, operands: Any, pred: Any) -> Any:
    _check_place(tx)
    guard = site.mend == "guard"
    conditional = pred is not None and not pred.is_python_constant()
    if guard and not conditional:
        raise Left("the guard's predicate is not a tensor")
    fires = site.fires_when() if guard else None
    if guard:
        _check_entry(tx)
    backend_of(tx).traced = tx.output
    flag = [_predicate(tx, pred)] if conditional else []
    carrier = Carrier(tx)
    # A guard whose predicate tells all needs no operands: when it fires, the original runs.
    plans = () if fires is not None else tuple(map(carrier.carry, _items(operands)))
    record = operators.record(
        site,
        *frames.context(tx, site),
        plans=plans,
        looks=tuple(carrier.looks),
        grad=torch.is_grad_enabled(),
        fires=fires,
    )
    name = "guard" if guard else "effect_if" if conditional else "effect"
    if not flag and not carrier.tensors:
        carrier.tensors.append(_anchor(tx))
    _call(tx, name, record.key, flag, carrier)
    return VariableTracker.build(tx, True)


def _anchor(tx: Any) -> Any:
    """An empty tensor: inductor frees buffers too early around an operator without a device.

    Its scheduler writes the C++ kernels that it holds back only before an operator on a device.
    """
    size = VariableTracker.build(tx, 0)
    device = VariableTracker.build(tx, "cpu")
    return VariableTracker.build(tx, torch.empty).call_function(tx, [size], {"device": device})


def _check_entry(tx: Any) -> None:
    """The statement may stop the call, so it must be one that can be undone."""
    reason = entry.problem(tx)
    if reason:
        raise Left(reason)
    entry.guard()


def _call(tx: Any, name: str, key: str, flag: list[Any], carrier: Carrier) -> Any:
    arguments = [
        VariableTracker.build(tx, key),
        *flag,
        _list(tx, carrier.tensors),
        _list(tx, carrier.ints),
    ]
    function = VariableTracker.build(tx, operators.operator(name))
    return function.call_function(tx, arguments, {})


def _list(tx: Any, items: list[Any]) -> Any:
    from torch._dynamo.variables.lists import ListVariable

    return ListVariable(list(items))


def _may_try(tx: Any, key: str) -> bool:
    """Whether a failure of a site's arms could be undone; notes that they are being tried."""
    site, call = sites.find(key), operators.state.call
    if site is None or call is None:
        return False
    reason = site.unfit or (kept.REASON if kept.inside(tx) else entry.problem(tx))
    if reason:
        site.leave(reason)
        return False
    call.trying = key
    return True


def _select(
    tx: Any, site: Any, pred: Any, news: Any, olds: Any, escapes: Any, grad_safe: Any
) -> Any:
    begins: dict[Any, int] = getattr(tx.output, "_graphmend_begins", {})
    begin = begins.get(pred.as_proxy().node, 0) if _tensor(pred) else 0
    if operators.state.call is not None:
        operators.state.call.trying = ""
    flag = _predicate(tx, pred)
    pairs = list(zip(_items(news), _items(olds), strict=True))
    leave = [item.as_python_constant() for item in _items(escapes)]
    targets = checks.next_targets(tx, len(pairs))
    chosen = [
        _choose(new, old, safe=grad_safe.as_python_constant(), begin=begin)
        if new is not old
        else None
        for new, old in pairs
    ]
    for (new, old), made, escape in zip(pairs, chosen, leave, strict=True):
        if made is not None and escape and checks.shares(tx, [new, old], targets):
            raise Left("the value is the same tensor as one that stays visible")
    where = VariableTracker.build(tx, torch.where)
    results = []
    for (new, old), made in zip(pairs, chosen, strict=True):
        if made is None:
            results.append(old)
            continue
        result = where.call_function(tx, [flag, new, old], {})
        problem = checks.same_metadata(checks.fake(result), checks.fake(old))
        if problem:
            raise Left(problem)
        note_merged(tx, site, result, [new, old])
        profiles.mark(result.as_proxy().node, site.profiled)
        results.append(result)
    from torch._dynamo.variables.lists import TupleVariable

    return TupleVariable(results)


def _choose(new: Any, old: Any, *, safe: bool, begin: int) -> bool | None:
    """None when both arms give the same Python value; True when a select is legal."""
    if not _tensor(new) or not _tensor(old):
        if new.is_python_constant() and old.is_python_constant():
            left, right = new.as_python_constant(), old.as_python_constant()
            if operands.Constant(left) == operands.Constant(right):
                return None
        raise Left("the arms give Python values that differ")
    if type(new) is not type(old):
        raise Left("the arms give values of different classes")
    fakes = checks.fake(new), checks.fake(old)
    problem = checks.same_metadata(*fakes) or checks.gradient_problem(*fakes, safe, begin)
    if problem:
        raise Left(problem)
    return True


def _update(tx: Any, site: Any, pred: Any, operands: Any, obj: Any, attrs: Any) -> Any:
    _check_place(tx)
    target = obj.realize()
    real = getattr(target, "value", None)
    if real is None or target.source is None or not hasattr(real, "__dict__"):
        raise Left("the object was made while tracing")
    names = [item.as_python_constant() for item in _items(attrs)]
    if pending(tx):
        raise Left("changes made before are not applied yet")
    flag = _predicate(tx, pred)
    carried = _attributes(site, real, names)
    given: dict[tuple[int, str], Any] = tx.output.__dict__.setdefault("_graphmend_given", {})
    for name in carried:
        first = (id(target), name) not in given
        if first and not checks.forget_place(tx, operators.current(real, name), target):
            raise Left(f"the tensor that attribute {name} holds is in use")
    carried_operands = _items(operands)
    impure = purity.problem(site, _live(site, carried_operands), tx.f_globals)
    if impure:
        raise Left(impure)
    carrier = Carrier(tx)
    plans = tuple(map(carrier.carry, carried_operands))
    from torch._dynamo.guards import GuardBuilder, install_guard

    install_guard(target.source.make_guard(GuardBuilder.ID_MATCH))
    _check_entry(tx)
    backend_of(tx).traced = tx.output
    record = operators.record(
        site,
        *frames.context(tx, site),
        plans=plans,
        looks=tuple(carrier.looks),
        grad=torch.is_grad_enabled(),
        target=operands_held(real),
        attrs=tuple(carried),
        shapes=tuple(carried.values()),
    )
    results = _call(tx, "update", record.key, [flag], carrier)
    setter = VariableTracker.build(tx, setattr)
    for name, value in zip(carried, _items(results), strict=True):
        earlier = given.get((id(target), name))
        if earlier is not None and checks.is_held(tx, earlier, target):
            raise Left(f"the tensor that an earlier update gave attribute {name} is still in use")
        given[id(target), name] = value
        value.source = AttrSource(target.source, name)
        setter.call_function(tx, [target, VariableTracker.build(tx, name), value], {})
    note_applied(tx)
    return VariableTracker.build(tx, True)


def _live(site: Any, carried: list[Any]) -> dict[str, Any]:
    """The live objects among a site's operands, by parameter."""
    pairs = zip(site.params, carried, strict=False)
    return {name: var.value for name, var in pairs if hasattr(var, "value")}


def operands_held(value: Any) -> operands.Held:
    """An object that a record needs but does not keep alive."""
    return operands.Held(value, strong=False)


def _attributes(site: Any, real: Any, names: list[str]) -> dict[str, operators.Shape]:
    """The tensor attributes that come back from the operator, with what they are now.

    They are not inputs of the graph: which tensor each holds now does not matter.
    """
    carried: dict[str, operators.Shape] = {}
    for name in names:
        try:
            value = operators.current(real, name)
        except KeyError:
            value = None
        if isinstance(value, torch.Tensor):
            shape = operators.Shape.of(value)
            if not shape.fits(value):
                raise Left(f"attribute {name} is no plain tensor, or requires a gradient")
            carried[name] = shape
        elif site.named_elsewhere(name):
            raise Left(f"attribute {name} is not a tensor, and is used elsewhere")
        else:
            site.assumed.add(name)
    return carried


def _cond(
    tx: Any,
    site: Any,
    pred: Any,
    chosen: Any,
    other: Any,
    arguments: Any,
    escapes: Any,
    strict: Any,
) -> Any:
    functions = chosen, other
    if not _tensor(pred):
        return _python_arm(tx, pred, functions, _items(arguments))
    return branch.join(
        tx,
        site,
        _predicate(tx, pred),
        functions,
        _items(arguments),
        [item.as_python_constant() for item in _items(escapes)],
        zero=backend_of(tx).unused_grad == "zero",
    )


def _tail(
    tx: Any, site: Any, pred: Any, chosen: Any, other: Any, arguments: Any, strict: Any
) -> Any:
    functions = chosen, other
    if not _tensor(pred):
        from torch._dynamo.variables.lists import TupleVariable

        with branch.same_end(tx):
            return TupleVariable([_python_arm(tx, pred, functions, _items(arguments))])
    zero = backend_of(tx).unused_grad == "zero"
    return branch.tail(tx, site, _predicate(tx, pred), functions, _items(arguments), zero=zero)


def _entries(tx: Any, site: Any, places: Any) -> Any:
    """What a loop iterates over: all places, or as it was."""
    from torch._dynamo.variables.lists import TupleVariable

    places = places.realize()
    if not dense.is_unknown(places):
        return places  # nothing breaks here
    _check_place(tx)
    _check_entry(tx)
    items = dense.begin(tx, site, places)
    site.used += 1
    return TupleVariable(items)


def _entry(tx: Any, site: Any) -> Any:
    dense.mark(tx, site)
    return VariableTracker.build(tx, None)


def _python_arm(tx: Any, pred: Any, functions: tuple[Any, Any], arguments: list[Any]) -> Any:
    """The arm that a Python value chooses, traced where it stands."""
    truth = _truth(tx, pred)
    if not truth.is_python_constant():
        raise Left("the test is a number that is not known while tracing")
    return functions[not truth.as_python_constant()].call_function(tx, arguments, {})


_UNHANDLED: dict[str, Any] = {"select": None, "cond": None, "tail": None}
"""What a call gives that the original branch is to handle; False where nothing else is said."""

_MARKS = ("entries", "entry")
"""Calls that may leave a site as it is without a reason: they count themselves what they mend."""

_STATEMENTS: dict[str, Callable[..., Any]] = {
    "run": _run,
    "select": _select,
    "update": _update,
    "cond": _cond,
    "tail": _tail,
    "entries": _entries,
    "entry": _entry,
}
