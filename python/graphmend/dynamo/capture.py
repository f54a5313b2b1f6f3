"""What Dynamo does at host reads and data-dependent shapes, for our callables and for no other.

Dynamo breaks the graph at these by default and can keep them in the graph when it is told to. We
tell it so for each frame that a call of ours enters first, and only there: the call can be undone,
so that whatever goes wrong in such a graph ends in the original. Before a value stays unknown in
the graph, the prelude is asked for it.
"""

from __future__ import annotations

import dis
import functools
import operator
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo import config, convert_frame, symbolic_convert, utils
from torch._dynamo.exc import TorchRuntimeError, unimplemented
from torch._dynamo.variables import builder, object_protocol
from torch._dynamo.variables.base import VariableTracker
from torch._dynamo.variables.tensor import SymNodeVariable, TensorVariable
from torch._subclasses.fake_tensor import FakeTensor

from graphmend import operators, profiles
from graphmend.dynamo import dense, entry, kept, operations, prelude
from graphmend.dynamo.handlers import our_backend

if TYPE_CHECKING:
    from collections.abc import Callable

_FLAGS = {"capture_scalar_outputs": True, "capture_dynamic_output_shape_ops": True}


def install() -> None:
    """Take the places where Dynamo decides; done once."""
    convert: Any = convert_frame.ConvertFrameAssert
    convert.__call__ = _converting(convert.__call__)
    values: Any = utils
    values._get_fake_value_impl = _giving(values._get_fake_value_impl)
    made: Any = builder
    made._wrap_fx_proxy = _wrapping(made._wrap_fx_proxy)
    number: Any = SymNodeVariable
    number.evaluate_expr = _evaluating(number.evaluate_expr)
    tensors: Any = TensorVariable
    tensors.method_tolist = _listing(tensors.method_tolist)
    sequences: Any = object_protocol
    sequences.generic_richcompare_bool = _comparing(sequences.generic_richcompare_bool)
    for kind in _translators(symbolic_convert.InstructionTranslatorBase):
        for name, code in dis.opmap.items():
            jumps = "JUMP" in name and ("IF_TRUE" in name or "IF_FALSE" in name)
            if jumps or name == "UNARY_NOT":
                table: Any = kind.dispatch_table
                if table[code] is not None:
                    table[code] = _jumping(table[code])


def _translators(kind: Any) -> list[Any]:
    found = [kind]
    for inner in kind.__subclasses__():
        found += _translators(inner)
    return found


def _converting(original: Callable[..., Any]) -> Callable[..., Any]:
    """Frames that a call of ours enters first are traced with the flags; if that fails, without."""

    @functools.wraps(original)
    def convert(self: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        shim = our_backend(self._torchdynamo_orig_backend)
        if shim is None or self._export or not entry.is_first():
            return original(self, frame, *args, **kwargs)
        if frame.f_code in shim.uncaptured:
            return original(self, frame, *args, **kwargs)
        try:
            with config.patch(_FLAGS):
                return original(self, frame, *args, **kwargs)
        except operators.Fired:
            raise
        except Exception as problem:
            if not shim.captured:
                if self._one_graph or not isinstance(problem, TorchRuntimeError):
                    raise
                return original(self, frame, *args, **kwargs)  # without the flags it may break
            if _raises(problem) and shim.may_fail(frame.f_code):
                # For these values the original raises too.
                assert operators.state.call is not None
                raise operators.Fired(operators.state.call) from None
            if self._one_graph:
                raise
            shim.uncaptured.add(frame.f_code)
            first = str(problem).strip().splitlines() or [type(problem).__name__]
            shim.leave(f"the graph can't hold it: {first[0]}")
        finally:
            shim.captured = False
            shim.loops = []
        return original(self, frame, *args, **kwargs)

    return convert


def _raises(problem: Exception) -> bool:
    """Whether the program itself raised while it was traced, or an operator that it called."""
    kind = getattr(problem, "gb_type", None)
    return isinstance(problem, TorchRuntimeError) or kind == "Observed exception"


def _wrapping(original: Callable[..., Any]) -> Callable[..., Any]:
    """A value that the graph can't know comes from the prelude where that can compute it."""

    @functools.wraps(original)
    def wrap(
        target_cls: Any,
        tx: Any,
        proxy: Any,
        example_value: Any = None,
        subclass_type: Any = None,
        **options: Any,
    ) -> Any:
        made = original(target_cls, tx, proxy, example_value, subclass_type, **options)
        example = proxy.node.meta.get("example_value")
        if not operations.has_unbacked(example) or not operations.is_new(proxy.node, example):
            return made
        shim = our_backend(tx.output.compiler_fn)
        if shim is None or subclass_type is not None:
            return made
        if kept.inside(tx) and not tx.one_graph:
            # By itself Dynamo breaks here, and makes a real call of the function.
            unimplemented(gb_type=kept.REASON, context="", explanation=kept.REASON, hints=[])
        known = prelude.build(tx, proxy.node, example)
        if known is not None:
            _drop(tx, proxy.node)
            return known
        if not entry.problem(tx):
            shim.captured = True
            entry.guard()
            profiles.mark(proxy.node, prelude.profiled(tx))
        return made

    return wrap


def _drop(tx: Any, node: Any) -> None:
    """Leave a node out of the graph, with the parts that Dynamo made of its value."""
    for item in [*node.users, node]:
        for argument in item.all_input_nodes:
            example = argument.meta.get("example_value")
            if isinstance(example, FakeTensor):
                example.item_memo = example.nonzero_memo = None
        if not item.users:
            tx.output.remove_node(item)


def _giving(original: Callable[..., Any]) -> Callable[..., Any]:
    """Where an operator reads integers from tensors, it is given the integers of the prelude."""

    @functools.wraps(original)
    def give(node: Any, tx: Any, *args: Any, **kwargs: Any) -> Any:
        if our_backend(tx.output.compiler_fn) is not None and node.target is operator.getitem:
            _index(tx, node)
        numbers = _numbers(node)
        if (
            numbers
            and our_backend(tx.output.compiler_fn) is not None
            and not prelude.problem(tx)
            and (node.target is operator.setitem or _reads(original, node, tx, numbers))
        ):
            _replace(tx, node, numbers)
        return original(node, tx, *args, **kwargs)

    return give


def _index(tx: Any, node: Any) -> None:
    """Where a mask picks rows, its places come from the prelude: their number is known then."""
    index = node.args[1]
    masks = [item for item in (index if isinstance(index, tuple) else (index,)) if _is_mask(item)]
    if not masks or prelude.problem(tx):
        return
    places: list[Any] = []
    for item in index if isinstance(index, tuple) else (index,):
        if not _is_mask(item):
            places.append(item)
            continue
        known = prelude.places(tx, item)
        if known is None:
            return
        places.extend(one.as_proxy().node for one in known)
    node.args = (node.args[0], tuple(places))


def _is_mask(item: Any) -> bool:
    example = item.meta.get("example_value") if isinstance(item, torch.fx.Node) else None
    return isinstance(example, torch.Tensor) and example.dtype is torch.bool and example.dim() > 0


def _numbers(node: Any) -> list[Any]:
    """The arguments of an operator that are integer tensors of no dimension."""
    if node.op not in ("call_function", "call_method"):
        return []
    found: list[Any] = []
    torch.fx.node.map_arg(_later(node), found.append)
    return [item for item in found if _is_number(item)]


def _later(node: Any) -> Any:
    """The arguments that may be integers: not the tensor itself, and not what is written to it."""
    if node.target is operator.setitem:
        return node.args[1]
    first = node.args[0] if node.args else None
    return first if isinstance(first, (tuple, list)) else (), node.args[1:], node.kwargs


def _is_number(node: Any) -> bool:
    example = node.meta.get("example_value")
    return isinstance(example, torch.Tensor) and not example.dim() and example.dtype in _INTEGERS


_INTEGERS = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)


def _reads(original: Any, node: Any, tx: Any, numbers: list[Any]) -> bool:
    """Whether an operator asks such tensors for their values."""
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    if name.endswith("_") or "out" in node.kwargs:
        return False
    symbols = tx.output.shape_env
    before = symbols.unbacked_symint_counter
    try:
        with symbols.ignore_fresh_unbacked_symbols():
            original(node, tx, True)
        return bool(symbols.unbacked_symint_counter != before)
    except Exception:
        return True  # what can't be traced with a tensor may be traced with an integer
    finally:
        for item in numbers:
            item.meta["example_value"].item_memo = None


def _replace(tx: Any, node: Any, numbers: list[Any]) -> None:
    known = {item: prelude.integer(tx, item) for item in numbers}
    if any(value is None for value in known.values()):
        return

    def number(item: Any) -> Any:
        if item not in known:
            return item
        made = known[item].as_proxy()
        return made.node if isinstance(made, torch.fx.Proxy) else made

    if node.target is operator.setitem:
        node.args = (node.args[0], torch.fx.node.map_arg(node.args[1], number), node.args[2])
        return
    first, rest, named = (torch.fx.node.map_arg(part, number) for part in _later(node))
    if node.args:
        whole = isinstance(node.args[0], (tuple, list))
        node.args = (first if whole else node.args[0], *rest)
    node.kwargs = named


def _evaluating(original: Callable[..., Any]) -> Callable[..., Any]:
    """A number that must be known while tracing comes from the prelude."""

    @functools.wraps(original)
    def evaluate(self: Any, output_graph: Any = None) -> Any:
        if operations.has_unbacked(self.sym_num) and output_graph is not None:
            tx = output_graph.current_tx
            if our_backend(output_graph.compiler_fn) is not None:
                known = prelude.constant(tx, self.as_proxy().node)
                if known is not None and known.is_python_constant():
                    return known.as_python_constant()
        return original(self, output_graph)

    return evaluate


def _jumping(original: Callable[..., Any]) -> Callable[..., Any]:
    """A branch on a tensor takes the way that the prelude knows; 'not' gives what it knows."""

    def jump(self: Any, inst: Any) -> None:
        value = self.stack[-1]
        if isinstance(value, VariableTracker):
            value = value.realize()
        if isinstance(value, TensorVariable) and our_backend(self.output.compiler_fn) is not None:
            known = _truth(self, value)
            if known is not None:
                depth = len(self.stack)
                self.stack[-1] = known
                original(self, inst)
                if len(self.stack) == depth and self.stack[-1] is known:
                    self.stack[-1] = value  # 'and' and 'or' give the operand, not its truth
                return
        original(self, inst)

    return jump


def _listing(original: Callable[..., Any]) -> Callable[..., Any]:
    """A list of places whose number is not known may be looped over."""

    @functools.wraps(original)
    def listing(self: Any, tx: Any) -> Any:
        places = None
        if our_backend(tx.output.compiler_fn) is not None:
            places = dense.listed(self)
        return original(self, tx) if places is None else places

    return listing


def _comparing(original: Callable[..., Any]) -> Callable[..., Any]:
    """Whether items of sequences are equal is known by the prelude where a tensor says it."""

    @functools.wraps(original)
    def compare(tx: Any, *args: Any) -> Any:
        result = original(tx, *args)
        if isinstance(result, TensorVariable) and our_backend(tx.output.compiler_fn) is not None:
            return _truth(tx, result) or result
        return result

    return compare


def _truth(tx: Any, value: Any) -> Any:
    example = value.as_proxy().node.meta.get("example_value")
    if not isinstance(example, torch.Tensor) or prelude.problem(tx):
        return None
    if any(not isinstance(size, int) or size != 1 for size in example.shape):
        return None
    return prelude.truth(tx, value.as_proxy().node)
