"""Hides all code of a model from analysis of names, so that only a trace can come upon it.

Whatever a call of the model reaches, it reaches through ``forward`` or ``__call__`` of a class.
Each of these functions of the model and its libraries is put where no walk over names finds it;
what stands in its place finds it when it is called, in one of these ways, which take turns:

* ``getattr``: an attribute whose name is computed,
* ``table``: a dispatch table below others,
* ``decorator``: a decorator that keeps the function in an object of its own,
* ``patched``: the class has nothing that runs, and every object is given its function after it was
  compiled.

Nothing here knows a model. Not to be undone: a process hides once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType
from typing import Any

import torch

Function = Callable[..., Any]

WAYS = ("getattr", "table", "decorator", "patched")
NAMES = ("forward", "__call__")
_PREFIX = "_".join(("kept", "as", ""))
_TABLES: dict[str, dict[str, dict[str, dict[str, Function]]]] = {"of": {"all": {"kept": {}}}}


def _by_getattr(kind: type, function: Function, key: str) -> Function:
    setattr(kind, _PREFIX + key, function)

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, _PREFIX + key)(*args, **kwargs)

    return call


def _by_table(kind: type, function: Function, key: str) -> Function:
    _TABLES["of"]["all"]["kept"][key] = function

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return _TABLES["of"]["all"]["kept"][key](self, *args, **kwargs)

    return call


class _Slot:
    """Holds a function where no dictionary shows it."""

    __slots__ = ("function",)

    def __init__(self, function: Function) -> None:
        self.function = function


def _by_decorator(kind: type, function: Function, key: str) -> Function:
    slot = _Slot(function)

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return slot.function(self, *args, **kwargs)

    return call


def _missing(self: Any, *args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError


_MAKERS = {"getattr": _by_getattr, "table": _by_table, "decorator": _by_decorator}


class Hiding:
    """Hides what models reach; ``ways`` take turns, and nothing is hidden where there are none."""

    def __init__(self, ways: tuple[str, ...] = WAYS) -> None:
        self._ways = itertools.cycle(ways)
        self._any = bool(ways)
        self._patched: dict[type, Function] = {}
        self._hidden: set[type] = set()
        self.count = dict.fromkeys(ways, 0)
        """How many functions are hidden in each way."""

    def before(self, model: torch.nn.Module) -> None:
        """Hide the functions of the model's classes; to be called before it is compiled."""
        if not self._any:
            return
        kinds = dict.fromkeys(
            kind
            for module in model.modules()
            for kind in type(module).__mro__
            if not _is_of_torch(kind)
        )
        for kind in kinds:
            if kind in self._hidden:
                continue
            self._hidden.add(kind)
            inherited = any(kind in other.__mro__[1:] and _defines(other) for other in kinds)
            for name, function in list(_functions(kind)):
                self._hide(kind, name, function, may_patch=name == "forward" and not inherited)

    def _hide(self, kind: type, name: str, function: FunctionType, may_patch: bool) -> None:
        way = next(self._ways)
        if way == "patched" and may_patch:
            self._patched[kind] = function
            setattr(kind, name, _missing)
        else:
            if way == "patched":  # those that call it otherwise would find nothing
                way = "getattr"
            key = f"{kind.__qualname__}_{name}_{len(self._hidden)}"
            setattr(kind, name, _MAKERS[way](kind, function, key))
        self.count[way] = self.count.get(way, 0) + 1

    def after(self, model: torch.nn.Module) -> None:
        """Give the objects of the model what their classes lack; to be called after compiling."""
        for module in model.modules():
            owner = next(kind for kind in type(module).__mro__ if "forward" in vars(kind))
            function = self._patched.get(owner)
            if function is not None:
                patched: Any = module
                patched.forward = MethodType(function, module)


def _is_of_torch(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in ("torch", "builtins", "typing", "abc")


def _functions(kind: type) -> Iterator[tuple[str, FunctionType]]:
    for name in NAMES:
        function = vars(kind).get(name)
        if isinstance(function, FunctionType):
            yield name, function


def _defines(kind: type) -> bool:
    return "forward" in vars(kind)
