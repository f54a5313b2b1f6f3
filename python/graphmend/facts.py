"""What the names of a live function hold, for the core to decide with."""

from __future__ import annotations

import builtins
import logging
import types
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_VALUES = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    list,
    tuple,
    dict,
    set,
    frozenset,
    type(None),
    torch.dtype,
    torch.device,
)
_CALLABLES = (type, FunctionType, types.BuiltinFunctionType, types.MethodType)
_ABSENT = object()


def of(function: FunctionType, code: CodeType, owners: Sequence[object] = ()) -> dict[str, str]:
    """Facts by name, in the core's spelling.

    ``code`` is the function's original code. Names of the module are plain; attributes of the
    method's own object are ``self.name``, told from ``owners``, the objects whose method it is,
    where they all agree.
    """
    names = set(_names(code))
    facts: dict[str, str] = {}
    scope = function.__globals__
    for name in names:
        value = scope.get(name, _ABSENT)
        if value is not _ABSENT:
            fact = _fact(value)
            if fact:
                facts[name] = fact
        elif hasattr(builtins, name):
            facts[name] = "builtin"
        if owners:
            kinds = {_attribute_fact(owner, name) for owner in owners}
            if len(kinds) == 1:
                fact = kinds.pop()
                if fact:
                    facts[f"self.{name}"] = fact
    return facts


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)


def _fact(value: Any) -> str:
    if isinstance(value, ModuleType):
        return f"module:{value.__name__}"
    if isinstance(value, (logging.Logger, logging.LoggerAdapter)):
        return "logger"
    if isinstance(value, torch.Tensor):
        return "tensor"
    if isinstance(value, _CALLABLES):
        return "callable"
    return "value" if isinstance(value, _VALUES) else ""


def _attribute_fact(owner: object, name: str) -> str:
    """The fact of an attribute that is plainly there: no property or ``__getattr__`` is run."""
    state = getattr(owner, "__dict__", {})
    value = state.get(name, _ABSENT)
    for table in ("_buffers", "_parameters"):
        if value is _ABSENT:
            value = state.get(table, {}).get(name, _ABSENT)
    return "" if value is _ABSENT else _fact(value)


def owners_of(root: object) -> dict[int, list[object]]:
    """The modules of ``root`` by the ids of the code objects of their classes' methods."""
    found: dict[int, list[object]] = {}
    root = getattr(root, "__self__", root)
    if not isinstance(root, torch.nn.Module):
        return found
    by_type: dict[type, list[object]] = {}
    for module in root.modules():
        by_type.setdefault(type(module), []).append(module)
    for kind, modules in by_type.items():
        for code in _method_codes(kind.__mro__):
            found.setdefault(id(code), []).extend(modules)
    return found


def _method_codes(classes: Iterable[type]) -> Iterator[CodeType]:
    for cls in classes:
        if cls.__module__.split(".", 1)[0] == "torch":
            continue
        for member in vars(cls).values():
            if isinstance(member, FunctionType):
                yield member.__code__
