"""Operands of an outlined statement: taken apart while tracing, put together at run time.

An operand is described by a *plan*, a nested tuple that can be compared and hashed. Tensors and
symbolic integers are leaves that the operator receives as arguments, everything else is kept in the
plan.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import torch

Plan = tuple[Any, ...]


class Held:
    """An object kept by a plan: equal only to itself, and not kept alive where that can be."""

    __slots__ = ("_key", "_ref", "_value")

    def __init__(self, value: object, strong: bool) -> None:
        self._key = id(value)
        self._ref: weakref.ref[Any] | None = None
        self._value: object = None
        if not strong:
            try:
                self._ref = weakref.ref(value)
                return
            except TypeError:
                pass
        self._value = value

    def get(self) -> Any:
        """The object."""
        if self._ref is None:
            return self._value
        value = self._ref()
        if value is None:
            raise ReferenceError("an object that a compiled statement uses is gone")
        return value

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Held) or self._key != other._key:
            return False
        mine = self._ref() if self._ref is not None else self._value
        theirs = other._ref() if other._ref is not None else other._value
        return mine is theirs

    def __hash__(self) -> int:
        return self._key


class Constant:
    """A constant kept by a plan: equal when type and written form are."""

    __slots__ = ("_key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._key = (type(value), repr(value))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@dataclass(frozen=True)
class Look:
    """How a tensor looks to Python code in the original: what a printed tensor would show."""

    requires_grad: bool
    leaf: bool
    grad_fn: str
    parameter: bool = False
    merged: bool = False
    """Whether a mended branch made the tensor, by an operator that the original does not have."""


def build(plan: Plan, tensors: list[torch.Tensor], ints: list[int]) -> Any:
    """The operand that a plan describes."""
    kind = plan[0]
    if kind == "tensor":
        return tensors[plan[1]]
    if kind == "int":
        return ints[plan[1]]
    if kind == "number":
        return tensors[plan[1]].item()
    if kind in ("constant", "object"):
        return plan[1].value if kind == "constant" else plan[1].get()
    if kind == "dict":
        return plan[1](
            (build(key, tensors, ints), build(value, tensors, ints)) for key, value in plan[2]
        )
    items = [build(item, tensors, ints) for item in plan[2]]
    if kind == "sequence":
        return plan[1](items)
    if kind == "named":
        return plan[1](*items)
    if kind == "dataclass":
        made = object.__new__(plan[1])
        for name, item in zip(plan[3], items, strict=True):
            object.__setattr__(made, name, item)
        return made
    raise AssertionError(f"unknown plan {kind}")


_GRAD_CLASSES: dict[str, type[torch.autograd.Function]] = {}


def _grad_class(name: str) -> Any:
    """An identity of autograd whose node is called ``name``."""
    made = _GRAD_CLASSES.get(name)
    if made is None:

        class Identity(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, value: torch.Tensor) -> torch.Tensor:
                return value.view_as(value)

            @staticmethod
            def backward(ctx: Any, *gradients: Any) -> Any:
                return gradients[0]

        backward: Any = Identity._backward_cls
        backward.__name__ = name
        made = _GRAD_CLASSES[name] = Identity
    return made


def dress(tensor: torch.Tensor, look: Look) -> torch.Tensor:
    """The tensor as the original statement would see it, where a compiler stripped autograd."""
    if look.parameter and not isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(tensor.detach(), requires_grad=look.requires_grad)
    if tensor.requires_grad == look.requires_grad and not (look.merged and look.requires_grad):
        return tensor
    if not look.requires_grad:
        return tensor.detach()
    leaf = tensor.detach().requires_grad_()
    if look.leaf:
        return leaf
    with torch.enable_grad():
        dressed: torch.Tensor = _grad_class(look.grad_fn).apply(leaf)
    return dressed
