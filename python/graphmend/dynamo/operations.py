"""What an operator of a graph does besides giving a value, as far as a prelude must know."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType
from typing import TYPE_CHECKING, Any

import torch
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols
from torch.utils._python_dispatch import TorchDispatchMode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from torch.fx import Node

_HEAVY = frozenset(
    {
        "mm",
        "bmm",
        "addmm",
        "baddbmm",
        "convolution",
        "_convolution",
        "linear",
        "addmv",
        "mv",
        "dot",
        "_cdist_forward",
        "_fft_r2c",
        "_fft_c2c",
        "_fft_c2r",
        "native_layer_norm",
        "native_batch_norm",
        "native_group_norm",
        "upsample_bilinear2d",
        "upsample_bicubic2d",
        "grid_sampler_2d",
    }
)
_IN_PLACE = frozenset(
    [f"i{word}" for word in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")]
    + [f"i{word}" for word in ("and", "or", "xor", "lshift", "rshift", "concat")]
    + ["setitem", "delitem"]
)


class Unfit(Exception):  # noqa: N818 - a decision, not an error
    """A value can't be computed before the region; the text says why."""


def allowed(node: Node) -> bool:
    target: Any = node.target
    if node.op == "call_method":
        return not str(target).startswith("__")
    if isinstance(target, torch._ops.OpOverload):
        return target.namespace in ("aten", "prims")
    if not isinstance(target, (FunctionType, BuiltinFunctionType)) and not _is_builtin(target):
        return False
    module = str(getattr(target, "__module__", None) or "torch")
    return module in ("_operator", "math", "builtins") or (
        module.split(".")[0] == "torch"
        and not module.startswith(("torch._dynamo", "torch._higher_order_ops", "torch.distributed"))
    )


def _is_builtin(target: Any) -> bool:
    return type(target).__name__ in ("builtin_function_or_method", "method_descriptor")


def written(node: Node) -> list[int]:
    """The storages that a node may write in place."""
    if node.op not in ("call_function", "call_method"):
        return []
    name = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", "")
    found = [node.kwargs["out"]] if "out" in node.kwargs else []
    if (name.endswith("_") and not name.endswith("__")) or name in _IN_PLACE:
        found += node.args[:1] or list(node.kwargs.values())
    nodes: list[Node] = []
    torch.fx.node.map_arg(found, nodes.append)
    return [storage for item in nodes for storage in storages(item)]


def is_size(node: Node) -> bool:
    """Whether a node's value is a number that sizes of inputs tell."""
    number = node.meta.get("example_value")
    return isinstance(number, torch.SymInt) and not free_unbacked_symbols(number)


def storages(node: Node) -> Iterable[int]:
    example = node.meta.get("example_value")
    items = example if isinstance(example, (tuple, list)) else [example]
    return [storage(item) for item in items if isinstance(item, torch.Tensor)]


def touched(node: Node) -> Iterable[int]:
    return [storage for item in node.all_input_nodes for storage in storages(item)]


def storage(tensor: torch.Tensor) -> int:
    try:
        return int(tensor.untyped_storage()._cdata)
    except (NotImplementedError, RuntimeError):
        raise Unfit("it uses a tensor without storage") from None


def version(tensor: torch.Tensor) -> int:
    try:
        return tensor._version
    except RuntimeError:
        raise Unfit("inference tensors don't tell whether they were written") from None


def is_wrapped(tensor: torch.Tensor) -> bool:
    functorch: Any = torch._C._functorch
    return bool(functorch.is_functorch_wrapped_tensor(tensor))


_Mode: Any = TorchDispatchMode


class Pure(_Mode):  # type: ignore[misc]
    """Lets pass what computes and nothing else."""

    def __init__(self, inputs: set[int]) -> None:
        super().__init__()
        self.inputs = inputs
        self.elements = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.namespace not in ("aten", "prims"):
            raise Unfit(f"{func} may do more than compute")
        if torch.Tag.nondeterministic_seeded in func.tags:
            raise Unfit("it draws random numbers")
        name = func._schema.name.split("::")[-1]
        if name in _HEAVY or "attention" in name:
            raise Unfit(f"{name} is too much work")
        kwargs = kwargs or {}
        if func._schema.is_mutable:
            for position, argument in enumerate(func._schema.arguments):
                if argument.alias_info is None or not argument.alias_info.is_write:
                    continue
                value = args[position] if position < len(args) else kwargs.get(argument.name)
                for item in value if isinstance(value, (tuple, list)) else [value]:
                    if isinstance(item, torch.Tensor) and storage(item) in self.inputs:
                        raise Unfit("it writes an input")
        result = func(*args, **kwargs)
        for item in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(item, torch.Tensor):
                self.elements += item.numel()
        return result


def is_new(node: Node, example: Any) -> bool:
    """Whether a node's value depends on more that only the host can know than its arguments do."""
    symbols = _unbacked(example)
    for item in node.all_input_nodes:
        symbols -= _unbacked(item.meta.get("example_value"))
    return bool(symbols)


def _unbacked(example: Any) -> set[Any]:
    if isinstance(example, (torch.Tensor, torch.SymInt, torch.SymBool, torch.SymFloat)):
        return set(free_unbacked_symbols(example))
    if isinstance(example, (tuple, list)):
        return set().union(*map(_unbacked, example))
    return set()


def has_unbacked(example: Any) -> bool:
    """Whether a fake value depends on what only the host can know."""
    if isinstance(example, torch.Tensor):
        return bool(free_unbacked_symbols(example))
    if isinstance(example, (torch.SymInt, torch.SymBool, torch.SymFloat)):
        return bool(free_unbacked_symbols(example))
    if isinstance(example, (tuple, list)):
        return any(map(has_unbacked, example))
    return False
