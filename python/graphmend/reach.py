"""Which Python functions a forward may reach.

A walk over code objects that runs no user code: global names are looked up in the function's own
globals, attribute names in the dictionaries of the classes seen so far, closures, wrapped
functions, partials and tables of functions are followed. It finds more than will run, which costs
a little time, and it can miss a function that is reached by a computed name, which then stays as it
is.
"""

from __future__ import annotations

import dis
import functools
import os
import sys
import sysconfig
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any

import torch

_TORCH = os.path.dirname(torch.__file__) + os.sep
_STDLIB = tuple(
    {os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib")}
    | {sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")}
    | {os.path.dirname(os.__file__) + os.sep}
)
_OWN = os.path.dirname(__file__) + os.sep
_TYPED = ("<ipython", "<python-input", "<stdin>")
"""What was typed at a prompt: its source may be known."""
_NUMPY = os.sep + "numpy" + os.sep
_PLAIN = frozenset(
    (int, float, str, bytes, bool, type(None), torch.Tensor, torch.dtype, torch.device)
)
_OPAQUE = (BuiltinFunctionType, ModuleType)
_ALWAYS = frozenset({"forward", "__call__", "__getattr__", "__enter__", "__exit__"})
_MADE = frozenset({"__new__", "__init__", "__post_init__"})
"""Methods that run when an object of the class is made."""
_WHOLE = frozenset({"__getitem__", "__iter__", "__next__", "__len__", "__bool__"})
_TENSOR = frozenset(dir(torch.Tensor)) - {"__getitem__", "__len__", "__iter__"}
"""Names that are taken for methods of tensors, never of modules."""
_TABLE_LIMIT = 256
_skipped_files: dict[str, bool] = {}


def is_foreign(path: str) -> bool:
    """Whether code of this file is never mended: torch, the standard library, graphmend."""
    known = _skipped_files.get(path)
    if known is None:
        known = path.startswith((_TORCH, _OWN)) or _NUMPY in path
        if not known and path.startswith(_STDLIB):
            known = "site-packages" not in path and "dist-packages" not in path
        known = known or (path.startswith("<") and not path.startswith(_TYPED))
        _skipped_files[path] = known
    return known


class Reach:
    """The functions reached from some roots."""

    def __init__(self) -> None:
        self.functions: dict[int, FunctionType] = {}
        self._codes: set[int] = set()
        self._classes: dict[int, type] = {}
        self._made: set[int] = set()
        self._tables: list[dict[str, Any]] = []
        self._names: set[str] = set(_ALWAYS)
        self._seen: set[int] = set()
        self._keep: list[Any] = []
        self._work: list[FunctionType] = []

    def add_root(self, root: Any) -> None:
        """Start from a module, a function or another callable."""
        if isinstance(root, torch.nn.Module):
            for module in root.modules():
                self._instance(module)
        else:
            self._value(root, 3)
            owner = getattr(root, "__self__", None)
            if isinstance(root, MethodType) and isinstance(owner, torch.nn.Module):
                for module in owner.modules():
                    self._instance(module)
            elif isinstance(root, MethodType):
                self._class(type(owner))
            if not isinstance(root, (FunctionType, MethodType)) and not isinstance(root, type):
                self._class(type(root))
        self._run()

    def _run(self) -> None:
        while self._work:
            function = self._work.pop()
            self._code(function.__code__, function.__globals__)
            for cell in function.__closure__ or ():
                try:
                    self._value(cell.cell_contents, 3)
                except ValueError:
                    continue
            for default in function.__defaults__ or ():
                self._value(default, 1)
            wrapped = vars(function).get("__wrapped__")
            if wrapped is not None:
                self._value(wrapped, 3)

    def _code(self, code: CodeType, scope: dict[str, Any]) -> None:
        """Follow the names of a code object and of those nested in it."""
        if id(code) in self._codes:
            return
        self._codes.add(id(code))
        self._keep.append(code)
        modules: list[dict[str, Any]] = []
        fresh: list[str] = []
        called: set[str] | None = None
        for name in code.co_names:
            if name in scope:
                value = scope[name]
                if isinstance(value, ModuleType):
                    self._module(value, modules)
                elif isinstance(value, type):
                    if called is None:
                        called = called_globals(code)
                    self._class(value, made=name in called)
                else:
                    self._value(value, 2)
            elif name in sys.modules:
                self._module(sys.modules[name], modules)
            if name not in self._names and name not in _MADE:
                self._names.add(name)
                fresh.append(name)
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._code(constant, scope)
        for table in modules:
            for name in code.co_names:
                if name in table:
                    self._value(table[name], 2)
        if fresh:
            for table in self._tables:
                for name in fresh:
                    if name in table:
                        self._value(table[name], 2)

    @staticmethod
    def _module(module: ModuleType, modules: list[dict[str, Any]]) -> None:
        """Note a module whose attributes a code object may use."""
        path = getattr(module, "__file__", None)
        if path and not is_foreign(path):
            modules.append(vars(module))

    def _value(self, value: Any, depth: int) -> None:
        """Follow one value; ``depth`` bounds the way through tables and objects."""
        if isinstance(value, FunctionType):
            self._function(value)
            return
        kind = type(value)
        if kind in _PLAIN or kind in _OPAQUE or depth <= 0:
            return
        if isinstance(value, type):
            self._class(value, made=True)
        elif isinstance(value, (staticmethod, classmethod, MethodType)):
            self._value(value.__func__, depth)
        elif isinstance(value, property):
            for part in (value.fget, value.fset):
                if part is not None:
                    self._value(part, depth)
        elif isinstance(value, functools.partial):
            self._value(value.func, depth)
        elif isinstance(value, torch.nn.Module):
            self._instance(value)
        elif id(value) in self._seen:
            return
        elif isinstance(value, dict):
            self._once(value)
            if len(value) <= _TABLE_LIMIT:
                for item in list(value.values()):
                    self._value(item, depth - 1)
        elif isinstance(value, (list, tuple)):
            self._once(value)
            for item in value[:_TABLE_LIMIT]:
                self._value(item, depth - 1)
        else:
            self._object(value, kind, depth)

    def _object(self, value: Any, kind: type, depth: int) -> None:
        self._once(value)
        self._class(kind)
        wrapped = getattr(value, "__wrapped__", None) if kind is _LRU else None
        if wrapped is not None:
            self._value(wrapped, depth)
        if is_foreign_class(kind):
            return
        try:
            own = object.__getattribute__(value, "__dict__")
        except AttributeError:
            return
        if isinstance(own, dict):
            self._add_table({name: item for name, item in own.items() if type(item) not in _PLAIN})

    def _once(self, value: Any) -> None:
        self._seen.add(id(value))
        self._keep.append(value)

    def _function(self, function: FunctionType) -> None:
        key = id(function)
        if key in self.functions or key in self._seen:
            return
        if is_foreign(function.__code__.co_filename):
            self._once(function)
            wrapped = vars(function).get("__wrapped__")
            if wrapped is not None or function.__closure__:
                self._foreign_wrapper(function, wrapped)
            return
        self.functions[key] = function
        self._work.append(function)

    def _foreign_wrapper(self, function: FunctionType, wrapped: Any) -> None:
        """A decorator of torch or the standard library around a user's function."""
        if isinstance(wrapped, FunctionType):
            self._function(wrapped)
        for cell in function.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:
                continue
            if isinstance(content, FunctionType):
                self._function(content)

    def _instance(self, module: torch.nn.Module) -> None:
        """A module: its class, and what its attributes hold."""
        if id(module) in self._seen:
            return
        self._once(module)
        kind = type(module)
        self._class(kind)
        own = vars(module)
        for item in own["_modules"].values():
            if item is not None:
                self._instance(item)
        for hooks in ("_forward_hooks", "_forward_pre_hooks"):
            for hook in own[hooks].values():
                self._value(hook, 2)
        if is_foreign_class(kind):
            return
        self._add_table(
            {
                name: item
                for name, item in own.items()
                if name not in _MODULE_TABLES and type(item) not in _PLAIN
            }
        )

    def _add_table(self, table: dict[str, Any]) -> None:
        """Follow the entries of a table whose names reached code uses, now or later."""
        if table:
            self._tables.append(table)
            for name in table.keys() & self._names:
                self._value(table[name], 2)

    def _class(self, kind: type, made: bool = False) -> None:
        """Every base of a class that is not foreign offers its methods by name.

        ``made`` says that reached code names the class, and so may make objects of it.
        """
        for base in kind.__mro__:
            if is_foreign_class(base):
                continue
            table = base.__dict__
            if made and id(base) not in self._made:
                self._made.add(id(base))
                for name in _MADE & table.keys():
                    self._value(table[name], 2)
            if id(base) in self._classes:
                continue
            self._classes[id(base)] = base
            names = self._names
            if issubclass(base, torch.nn.Module):
                usable = {name: item for name, item in table.items() if name not in _TENSOR}
            else:
                usable = dict(table)
                names = names | _WHOLE
            self._tables.append(usable)
            for name in usable.keys() & names:
                self._value(usable[name], 2)


def called_globals(code: CodeType) -> set[str]:
    """The global names that a code object calls directly."""
    raw, names = code.co_code, code.co_names
    found: set[str] = set()
    extended = 0
    for at in range(0, len(raw), 2):
        operation = raw[at]
        if operation == _LOAD_GLOBAL and raw[at + 1] & 1:
            found.add(names[(raw[at + 1] | extended) >> 1])
        extended = (raw[at + 1] | extended) << 8 if operation == dis.EXTENDED_ARG else 0
    return found


_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_LRU = type(functools.lru_cache(lambda: None))
_MODULE_TABLES = frozenset(vars(torch.nn.Module()))
_foreign_classes: dict[type, bool] = {}


def is_foreign_class(kind: type) -> bool:
    """Whether a class is torch's, the standard library's, or built in."""
    known = _foreign_classes.get(kind)
    if known is None:
        module = sys.modules.get(kind.__module__)
        path = getattr(module, "__file__", None)
        known = kind.__module__ == "builtins" or (
            module is not None and (is_foreign(path) if path else kind.__module__ != "__main__")
        )
        _foreign_classes[kind] = known
    return known


def reached(root: Any) -> list[FunctionType]:
    """Every function that calling ``root`` may reach, foreign ones left out."""
    reach = Reach()
    reach.add_root(root)
    return list(reach.functions.values())
