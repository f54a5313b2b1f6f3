"""The state that a call may change: kept, put back, and made into data that can be compared.

From some roots (arguments, a module, globals) everything mutable is followed: containers, objects,
modules, cells of closures, tensors, arrays and generators of random numbers. What can't be put back
(an iterator, say) makes a snapshot impossible, which is said.
"""

from __future__ import annotations

import collections
import enum
import functools
import io
import logging
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import BuiltinFunctionType, CellType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

import torch

from graphmend import reach

if TYPE_CHECKING:
    from collections.abc import Callable

_LIMIT = 200_000
_PLAIN = (bool, int, float, complex, str, bytes, type(None), torch.dtype, torch.device, torch.Size)
_CLOSED = (ModuleType, BuiltinFunctionType, logging.Logger, enum.Enum, io.IOBase)
_LRU = type(functools.lru_cache(lambda: None))
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


class Unkept(Exception):  # noqa: N818 - a reason, told as it is
    """The state can't be kept or put back; the text says why."""


@dataclass
class State:
    """Where the state that a call can see is found: some values, and names of some modules."""

    values: dict[str, Any]
    scopes: list[tuple[dict[str, Any], frozenset[str]]]

    def visible(self) -> dict[str, Any]:
        """All values by their places, as they are now."""
        found = dict(self.values)
        for scope, names in self.scopes:
            module = scope.get("__name__", "")
            for name in sorted(names & scope.keys()):
                found[f"{module}.{name}"] = scope[name]
        return found


class Snapshot:
    """The state reachable from some roots, as it is now."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.tensors: list[torch.Tensor] = []
        self._undo: list[Callable[[], None]] = []
        self._checks: list[Callable[[], None]] = []
        """What raises where something can't be put back: asked before anything is."""
        self._keep: list[Any] = []
        seen: set[int] = set()
        work = list(state.visible().values())
        for scope, names in state.scopes:
            self._scope(scope, names)
            registry = scope.get("__warningregistry__")
            if registry is not None:
                work.append(registry)
        while work:
            value = work.pop()
            if isinstance(value, _PLAIN) or id(value) in seen:
                continue
            seen.add(id(value))
            self._keep.append(value)
            if len(seen) > _LIMIT:
                raise Unkept("the call can reach too many objects")
            work.extend(self._note(value))
        self.random = RandomState()

    def _scope(self, scope: dict[str, Any], names: frozenset[str]) -> None:
        """Keep what names of a module are bound to."""
        before = {name: scope[name] for name in names & scope.keys()}

        def undo() -> None:
            for name in names:
                if name in before:
                    scope[name] = before[name]
                else:
                    scope.pop(name, None)

        self._undo.append(undo)

    def _class(self, kind: type) -> list[Any]:
        """Keep the attributes of a class that are no functions."""
        before = _data_of(kind)

        def undo() -> None:
            now = _data_of(kind)
            for name in now.keys() - before.keys():
                delattr(kind, name)
            for name, value in before.items():
                if name not in now or now[name] is not value:
                    setattr(kind, name, value)

        self._undo.append(undo)
        return [*before.values(), *_functions_of(kind)]

    def _note(self, value: Any) -> list[Any]:
        """Keep one value; returns what it leads to."""
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, dict):
            before = dict(value)
            self._undo.append(lambda: _refill(value, before))
            return [*before.values(), *getattr(value, "__dict__", {}).values()]
        if isinstance(value, (list, collections.deque)):
            items = list(value)
            self._undo.append(lambda: _relist(value, items))
            return items
        if isinstance(value, set):
            members = set(value)
            self._undo.append(lambda: _reset(value, members))
            return list(members)
        if isinstance(value, (tuple, frozenset)):
            return list(value)
        return self._object(value)

    def _object(self, value: Any) -> list[Any]:
        if not _followed(value):
            return []
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, FunctionType):
            cells = value.__closure__ or ()
            return [*cells, value.__defaults__, value.__kwdefaults__, *vars(value).values()]
        if isinstance(value, functools.partial):
            return [value.func, value.args, value.keywords, *vars(value).values()]
        if type(value) is _LRU:
            return self._kept_results(value)
        if isinstance(value, MethodType):
            return [value.__self__, value.__func__]
        if isinstance(value, CellType):
            return self._cell(value)
        if isinstance(value, torch.Generator):
            state = value.get_state()
            self._undo.append(lambda: _ignore(value.set_state(state)))
            return []
        if isinstance(value, random.Random):
            python = value.getstate()
            self._undo.append(lambda: value.setstate(python))
            return []
        if isinstance(value, Iterator):
            raise Unkept(f"the call can reach an iterator ({type(value).__name__})")
        if isinstance(value, _CLOSED):
            return []
        if type(value).__module__ == "numpy" and hasattr(value, "__array_interface__"):
            return self._array(value)
        own = getattr(value, "__dict__", None)
        if not isinstance(own, dict):
            return []
        before = dict(own)
        self._undo.append(lambda: _refill(own, before))
        inner = [item for name, item in before.items() if name not in _UNSEEN]
        return [type(value), *inner]

    def _kept_results(self, function: Any) -> list[Any]:
        """What a cache holds can't be put back: a call that fills it can't be made twice."""
        before = function.cache_info().misses

        def check() -> None:
            if function.cache_info().misses != before:
                name = getattr(function, "__qualname__", "a function")
                raise Unkept(f"functools.lru_cache kept a new result of {name}")

        self._checks.append(check)
        return [function.__wrapped__]

    def _cell(self, cell: CellType) -> list[Any]:
        try:
            content = cell.cell_contents
        except ValueError:
            return []

        def undo() -> None:
            cell.cell_contents = content

        self._undo.append(undo)
        return [content]

    def _array(self, array: Any) -> list[Any]:
        if getattr(array, "flags", None) is None or not array.flags.writeable:
            return []
        before = array.copy()

        def undo() -> None:
            array[...] = before

        self._undo.append(undo)
        return []

    def _tensor(self, tensor: torch.Tensor) -> list[Any]:
        if type(tensor).__module__.split(".")[0] != "torch" or tensor.layout is not torch.strided:
            raise Unkept(f"the call can reach a {type(tensor).__name__}")
        self.tensors.append(tensor)
        function, needs = tensor.grad_fn, tensor.requires_grad
        with torch.no_grad():
            before = tensor.detach().clone(memory_format=torch.preserve_format)
        shape, stride, version = tensor.shape, tensor.stride(), tensor._version
        gradient = tensor.grad if tensor.is_leaf else None

        def check() -> None:
            if (
                tensor.grad_fn is not function
                or tensor.requires_grad is not needs
                or tensor.shape != shape
                or tensor.stride() != stride
            ):
                raise Unkept("a tensor was changed in a way that can't be undone")

        def undo() -> None:
            if tensor._version != version or not same_bits(tensor, before):
                with torch.no_grad():
                    tensor.detach().copy_(before)
                torch._C._autograd._unsafe_set_version_counter((tensor,), (version,))
            if tensor.is_leaf and tensor.grad is not gradient:
                tensor.grad = gradient

        self._checks.append(check)
        self._undo.append(undo)
        found: list[Any] = [gradient] if gradient is not None else []
        return found + list(vars(tensor).values())

    def restore(self) -> None:
        """Put everything back; :class:`Unkept` where something can't be, and then nothing is."""
        for check in self._checks:
            check()
        for undo in reversed(self._undo):
            undo()
        self.random.restore()


class RandomState:
    """The process's generators of random numbers, as they are now."""

    def __init__(self) -> None:
        self.python = random.getstate()
        self.cpu = torch.get_rng_state()
        cuda: Any = torch.cuda
        self.cuda = cuda.get_rng_state_all() if cuda.is_initialized() else None
        numpy = _numpy_random()
        self.numpy = numpy.get_state() if numpy is not None else None

    def restore(self) -> None:
        """Put them back."""
        random.setstate(self.python)
        torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            cuda: Any = torch.cuda
            cuda.set_rng_state_all(self.cuda)
        numpy = _numpy_random()
        if self.numpy is not None and numpy is not None:
            numpy.set_state(self.numpy)

    def same(self, other: RandomState) -> bool:
        """Whether the generators are in the same state."""
        return (
            self.python == other.python
            and torch.equal(self.cpu, other.cpu)
            and repr(self.numpy) == repr(other.numpy)
            and (self.cuda is None) is (other.cuda is None)
            and all(map(torch.equal, self.cuda or (), other.cuda or ()))
        )


def _followed(value: Any) -> bool:
    """Whether what a value holds belongs to the program, and not to torch, Python or us."""
    if isinstance(value, type):
        return not reach.is_foreign_class(value)
    if isinstance(value, FunctionType):
        return not reach.is_foreign(value.__code__.co_filename)
    if isinstance(value, (torch.nn.Module, torch.Generator)):
        return True
    return not type(value).__module__.startswith(("torch.", "graphmend."))


def _data_of(kind: type) -> dict[str, Any]:
    return {
        name: value
        for name, value in vars(kind).items()
        if not name.startswith("__")
        and not callable(value)
        and not isinstance(value, (property, staticmethod, classmethod))
        and not hasattr(type(value), "__get__")
    }


def _functions_of(kind: type) -> list[Any]:
    """The functions of a class: closures, default values and caches of theirs may change."""
    found: list[Any] = []
    for value in vars(kind).values():
        if isinstance(value, property):
            found += [value.fget, value.fset]
        elif isinstance(value, (staticmethod, classmethod)):
            found.append(value.__func__)
        elif isinstance(value, FunctionType) or type(value) is _LRU:
            found.append(value)
    return found


def _numpy_random() -> Any:
    return sys.modules.get("numpy.random")


def _ignore(_: object) -> None:
    return None


def _refill(table: dict[Any, Any], before: dict[Any, Any]) -> None:
    if table.keys() == before.keys() and all(table[key] is before[key] for key in before):
        return
    dict.clear(table)
    dict.update(table, before)


def _relist(items: Any, before: list[Any]) -> None:
    if len(items) != len(before) or any(a is not b for a, b in zip(items, before, strict=True)):
        items.clear()
        items.extend(before)


def _reset(members: set[Any], before: set[Any]) -> None:
    members.clear()
    members.update(before)


def same_bits(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Whether two tensors of one shape hold the same bits, but for the payload of NaN."""
    if left.dtype is not right.dtype or left.shape != right.shape:
        return False
    with torch.no_grad():
        left, right = left.detach(), right.detach()
        if not (left.dtype.is_floating_point or left.dtype.is_complex):
            return bool(torch.equal(left, right))
        equal = (left == right) | (left.isnan() & right.isnan())
        if left.dtype.is_floating_point:
            equal &= left.isnan() | (torch.signbit(left) == torch.signbit(right))
        return bool(equal.all())


@dataclass(frozen=True)
class Fact:
    """One thing that can be seen after a call, at a place."""

    place: str
    kind: str
    tensor: torch.Tensor | None = None

    def differs(self, other: Fact, exact: bool) -> str:
        """How another run's fact is different; empty when it is the same."""
        if self.place != other.place:
            return f"{other.place} is there, not {self.place}"
        if self.kind != other.kind and (
            exact or without_numbers(self.kind) != without_numbers(other.kind)
        ):
            return f"{self.place} is {other.kind[:200]}, not {self.kind[:200]}"
        if self.tensor is None or other.tensor is None:
            return ""
        if same_bits(self.tensor, other.tensor):
            return ""
        if not exact and _close(self.tensor, other.tensor):
            return ""
        return f"the values of {self.place} are {_shown(other.tensor)}, not {_shown(self.tensor)}"


def without_numbers(text: str) -> str:
    """A text without its numbers, which compilers may round in another way."""
    return _NUMBER.sub("0", text)


def _shown(tensor: torch.Tensor) -> str:
    flat = tensor.detach().reshape(-1)
    return str(flat[:6].tolist())[:-1] + (", ...]" if flat.numel() > 6 else "]")


def _close(left: torch.Tensor, right: torch.Tensor) -> bool:
    if not (left.dtype.is_floating_point or left.dtype.is_complex):
        return False
    short = left.dtype in (torch.float16, torch.bfloat16)
    relative = 2e-2 if short else 1e-3
    wide = torch.complex128 if left.dtype.is_complex else torch.float64
    a, b = left.detach().to(wide), right.detach().to(wide)
    finite = a[torch.isfinite(a)].abs()
    size = float(finite.max()) if finite.numel() else 1.0
    return torch.allclose(
        a, b, rtol=relative, atol=relative * 1e-2 * max(size, 1e-6), equal_nan=True
    )


def facts(roots: dict[str, Any]) -> list[Fact]:
    """All that can be seen from some roots, in an order that depends on the values only."""
    found: list[Fact] = []
    names: dict[int, str] = {}
    stores: dict[int, str] = {}
    work = [(place, value) for place, value in reversed(roots.items())]
    keep: list[Any] = []
    while work:
        place, value = work.pop()
        if _is_constant(value):
            found.append(Fact(place, f"{type(value).__name__} {value!r}"))
            continue
        if isinstance(value, CellType):
            work.extend((place, item) for _, item in _parts(value))
            continue
        first = names.setdefault(id(value), place)
        keep.append(value)
        if first != place:
            found.append(Fact(place, f"the same as {first}"))
            continue
        if isinstance(value, torch.Tensor):
            found.append(_tensor_fact(place, value, stores))
            if value.is_leaf and value.grad is not None:
                work.append((f"{place}.grad", value.grad))
            continue
        found.append(Fact(place, _kind(value)))
        work.extend(reversed([(place + name, item) for name, item in _parts(value)]))
    return found


def _is_constant(value: Any) -> bool:
    """Whether it does not matter which object a value is."""
    if type(value) is tuple:
        return all(map(_is_constant, value))
    return isinstance(value, _PLAIN)


def _tensor_fact(place: str, value: torch.Tensor, stores: dict[int, str]) -> Fact:
    pointer = value.untyped_storage().data_ptr()
    owner = stores.setdefault(pointer, place) if pointer else place
    kind = (
        f"{type(value).__name__} {value.dtype} {tuple(value.shape)} {value.stride()} "
        f"{value.device} requires_grad={value.requires_grad}"
    )
    if owner != place:
        kind += f" sharing memory with {owner}"
    return Fact(place, kind, value.detach().clone())


def _kind(value: Any) -> str:
    if isinstance(value, (FunctionType, type, BuiltinFunctionType, ModuleType)):
        return f"{type(value).__name__} {getattr(value, '__qualname__', '')}"
    if isinstance(value, (dict, list, tuple, set, frozenset, collections.deque)):
        return f"{type(value).__qualname__} of {len(value)}"
    return type(value).__qualname__


def _parts(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [
            (f"[{key!r}]" if isinstance(key, _PLAIN) else "[...]", v) for key, v in value.items()
        ]
    if isinstance(value, (list, tuple, collections.deque)):
        return [(f"[{index}]", item) for index, item in enumerate(value)]
    if isinstance(value, (set, frozenset)):
        return [("{...}", item) for item in sorted(value, key=repr)]
    if not _followed(value):
        return []
    if isinstance(value, type):
        return [(f".{name}", item) for name, item in sorted(_data_of(value).items())]
    if isinstance(value, FunctionType):
        names = value.__code__.co_freevars
        found = [(f".{n}", c) for n, c in zip(names, value.__closure__ or (), strict=True)]
        defaults = [
            (".__defaults__", value.__defaults__),
            (".__kwdefaults__", value.__kwdefaults__),
        ]
        return found + [(name, item) for name, item in defaults if item]
    if isinstance(value, functools.partial):
        return [(".func", value.func), (".args", value.args), (".keywords", value.keywords)]
    if isinstance(value, MethodType):
        return [(".__self__", value.__self__)]
    if isinstance(value, CellType):
        try:
            return [("", value.cell_contents)]
        except ValueError:
            return []
    if isinstance(value, (*_CLOSED, torch.Generator, random.Random)):
        return []
    own = getattr(value, "__dict__", None)
    if not isinstance(own, dict):
        return []
    found = [(f".{name}", item) for name, item in own.items() if name not in _UNSEEN]
    return [("(class)", type(value)), *found]


_UNSEEN = frozenset({"_compiled_call_impl", "_is_torch_compile"})


def first_difference(wanted: list[Fact], got: list[Fact], exact: bool) -> str:
    """Where two runs differ first; empty when they agree."""
    for left, right in zip(wanted, got, strict=False):
        reason = left.differs(right, exact)
        if reason:
            return reason
    if len(wanted) != len(got):
        longer = wanted if len(wanted) > len(got) else got
        return f"only one of the two has {longer[min(len(wanted), len(got))].place}"
    return ""
