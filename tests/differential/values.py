"""Values as data that can be compared later: tensors bit for bit, objects by what they hold."""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import random
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch

_DEPTH = 12
_PLAIN = (bool, int, str, bytes, type(None))
_NAMED = (type, FunctionType, MethodType, BuiltinFunctionType, ModuleType, functools.partial)
# Tables that are read apart, and the mark that torch.compile leaves on a module.
_NOT_STATE = (frozenset(vars(torch.nn.Module())) - {"training"}) | {"_is_torch_compile"}


@dataclasses.dataclass(frozen=True)
class Bits:
    """A tensor as it is in memory."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    requires_grad: bool
    kind: str
    data: bytes
    shown: str

    def close_to(self, other: Bits) -> bool:
        """Equal but for rounding, as two compilers round."""
        left, right = self._array(), other._array()
        if (self.dtype, self.shape) != (other.dtype, other.shape):
            return False
        return bool(np.allclose(left, right, rtol=2e-3, atol=1e-5, equal_nan=True))

    def _array(self) -> Any:
        dtype = getattr(torch, self.dtype.removeprefix("torch."))
        if not self.data:
            return np.zeros(self.shape)
        flat = torch.frombuffer(bytearray(self.data), dtype=dtype)
        return (flat.double() if dtype.is_floating_point else flat).numpy()


def freeze(value: Any, depth: int = 0) -> Any:
    """``value`` as nested tuples."""
    if isinstance(value, torch.Tensor):
        return _bits(value)
    if isinstance(value, enum.Enum):
        return ("enum", type(value).__qualname__, value.name)
    if type(value) in _PLAIN:
        return (type(value).__name__, value)
    if type(value) in (float, complex):
        return (type(value).__name__, repr(value))
    if isinstance(value, np.ndarray):
        return ("ndarray", str(value.dtype), value.shape, value.tobytes())
    if isinstance(value, _NAMED):
        return ("named", getattr(value, "__qualname__", type(value).__name__))
    if depth > _DEPTH:
        return ("deep", type(value).__qualname__)
    return _freeze_container(value, depth + 1)


def _freeze_container(value: Any, depth: int) -> Any:
    name = type(value).__qualname__
    if isinstance(value, dict):
        return (name, tuple((freeze(k, depth), freeze(v, depth)) for k, v in value.items()))
    if isinstance(value, (set, frozenset)):
        return (name, tuple(sorted(repr(freeze(item, depth)) for item in value)))
    if isinstance(value, Iterable) and hasattr(value, "__len__") and not hasattr(value, "forward"):
        return (name, tuple(freeze(item, depth) for item in value))
    if isinstance(value, torch.nn.Module):
        return (name, tuple((k, freeze(v, depth)) for k, v in module_state(value)))
    if hasattr(value, "__dict__") and not type(value).__module__.startswith(("torch", "logging")):
        return (name, tuple((k, freeze(v, depth)) for k, v in sorted(vars(value).items())))
    return (name,)


def _bits(tensor: torch.Tensor) -> Bits:
    flat = tensor.detach().contiguous().reshape(-1)
    data = flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""
    return Bits(
        str(tensor.dtype),
        tuple(tensor.shape),
        tuple(tensor.stride()),
        tensor.requires_grad,
        type(tensor).__name__,
        data,
        str(flat[:6].tolist()),
    )


def module_state(module: torch.nn.Module) -> Iterator[tuple[str, Any]]:
    """Parameters, buffers and other attributes of a module and of its submodules, by name."""
    for prefix, part in module.named_modules():
        for table in ("_parameters", "_buffers"):
            for name, value in getattr(part, table).items():
                yield f"{prefix}.{name}", value
        for name, value in sorted(vars(part).items()):
            if name not in _NOT_STATE and not name.startswith("_compiled"):
                yield f"{prefix}.{name}", value


def tensors(value: Any, depth: int = 0) -> Iterator[torch.Tensor]:
    """The tensors in nested containers and data objects, in order."""
    if isinstance(value, torch.Tensor):
        yield value
    elif depth > _DEPTH or isinstance(value, (str, bytes, type)):
        return
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors(item, depth + 1)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from tensors(item, depth + 1)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from tensors(getattr(value, field.name), depth + 1)


def identities(values: list[tuple[str, Any]]) -> tuple[tuple[str, str], ...]:
    """For each tensor in ``values``, the first name under which the very same one stands."""
    names: dict[int, str] = {}
    stores: dict[int, str] = {}
    found = []
    for name, value in values:
        for index, tensor in enumerate(tensors(value)):
            here = f"{name}[{index}]"
            same = names.setdefault(id(tensor), here)
            key = tensor.untyped_storage().data_ptr()
            store = stores.setdefault(key, here) if key else here
            found.append((same, store))
    return tuple(found)


def random_state() -> str:
    """The state of the random generators."""
    state = torch.get_rng_state().numpy().tobytes()
    text = repr((random.getstate(), np.random.get_state()))
    return hashlib.sha256(state + text.encode()).hexdigest()


def seed(number: int) -> None:
    """Seed every random generator."""
    torch.manual_seed(number)
    random.seed(number)
    np.random.seed(number)


def difference(left: Any, right: Any, where: str, close: bool = False) -> str:
    """The first place where two frozen values differ; empty when they are equal."""
    if isinstance(left, Bits) and isinstance(right, Bits):
        if left == right or (close and left.close_to(right)):
            return ""
        fields = ("dtype", "shape", "stride", "requires_grad", "kind", "shown")
        for name in fields:
            one, two = getattr(left, name), getattr(right, name)
            if one != two:
                return f"{where}: {name} {one} became {two}"
        return f"{where}: the bits differ"
    if dataclasses.is_dataclass(left) and type(left) is type(right):
        for field in dataclasses.fields(left):
            one, two = getattr(left, field.name), getattr(right, field.name)
            found = difference(one, two, f"{where}.{field.name}", close)
            if found:
                return found
        return ""
    both = isinstance(left, (tuple, list)) and isinstance(right, (tuple, list))
    if both and len(left) == len(right):
        for index, (one, two) in enumerate(zip(left, right, strict=True)):
            found = difference(one, two, f"{where}[{index}]", close)
            if found:
                return found
        return ""
    return "" if left == right else f"{where}: {left!r} became {right!r}"
