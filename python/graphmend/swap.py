"""Mended code in the place of the original: swapped into live functions, and taken out again."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from graphmend import runtime

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "__graphmend__"
"""The one global name that mended code uses, bound to :mod:`graphmend.runtime`."""


@dataclass
class Swap:
    """One original code object and the mended one, with the functions that run it."""

    original: CodeType
    mended: CodeType
    functions: weakref.WeakSet[FunctionType] = field(default_factory=weakref.WeakSet)


_swaps: dict[int, Swap] = {}
_by_mended: dict[int, Swap] = {}
_scopes: dict[int, dict[str, Any]] = {}
_factories: list[tuple[FunctionType, CodeType, CodeType]] = []
_lent: list[tuple[dict[str, Any], str, object]] = []
_suspended: list[tuple[FunctionType, CodeType, CodeType]] = []
_lock = threading.RLock()
_disabled = 0


def original(code: CodeType) -> CodeType:
    """The original of a code object that was swapped in; the code itself otherwise."""
    swap = _by_mended.get(id(code))
    return swap.original if swap is not None else code


def known(code: CodeType) -> Swap | None:
    """The swap of an original code object, by identity."""
    return _swaps.get(id(code))


def is_disabled() -> bool:
    """Whether every original is back for now."""
    return _disabled > 0


def admit(scope: dict[str, Any]) -> None:
    """Let code whose globals are ``scope`` find the run time."""
    if scope.get(NAME) is not runtime:
        scope[NAME] = runtime
    _scopes[id(scope)] = scope


def put(functions: Iterable[FunctionType], old: CodeType, mended: CodeType) -> None:
    """Let every one of ``functions``, which run ``old``, run ``mended``."""
    with _lock:
        swap = known(old)
        if swap is None:
            swap = _swaps[id(old)] = Swap(old, mended)
            _by_mended[id(mended)] = swap
        for function in functions:
            swap.functions.add(function)
            if not _disabled:
                _enter(function, swap)
        if not _disabled:
            _patch_factory(swap)


def _enter(function: FunctionType, swap: Swap) -> None:
    admit(function.__globals__)
    if function.__code__ is not swap.mended:
        function.__code__ = swap.mended


def _patch_factory(swap: Swap) -> None:
    """Where a function makes the original anew at each call, let it make the mended one."""
    parts = swap.original.co_qualname.split(".")
    if "<locals>" not in parts or not swap.functions:
        return
    scope = next(iter(swap.functions)).__globals__
    owner: Any = scope.get(parts[0])
    for part in parts[1 : parts.index("<locals>") - 1 + 1]:
        if part == "<locals>":
            break
        owner = vars(owner).get(part) if isinstance(owner, type) else None
    while hasattr(owner, "__wrapped__"):
        owner = owner.__wrapped__
    if not isinstance(owner, FunctionType):
        return
    before = owner.__code__
    after = _replaced(before, swap.original, swap.mended)
    if after is not before:
        owner.__code__ = after
        _factories.append((owner, before, after))


def _replaced(code: CodeType, old: CodeType, new: CodeType) -> CodeType:
    changed = False
    constants: list[Any] = []
    for constant in code.co_consts:
        made = constant
        if constant is old:
            made = new
        elif isinstance(constant, CodeType):
            made = _replaced(constant, old, new)
        changed |= made is not constant
        constants.append(made)
    return code.replace(co_consts=tuple(constants)) if changed else code


def makers(code: CodeType, made: dict[int, tuple[CodeType, CodeType]]) -> list[FunctionType]:
    """The live functions that make functions of ``code``, also by way of the code in ``made``."""
    wanted = [code]
    while True:
        outer = [old for old, new in made.values() if any(_holds(new, item) for item in wanted)]
        outer = [old for old in outer if not any(old is item for item in wanted)]
        if not outer:
            break
        wanted += outer
    return [
        found
        for found in gc.get_objects()
        if type(found) is FunctionType
        and found.__code__.co_filename == code.co_filename
        and any(_holds(found.__code__, item) for item in wanted)
    ]


def _holds(code: CodeType, inner: CodeType) -> bool:
    return any(
        item is inner or _holds(item, inner)
        for item in code.co_consts
        if isinstance(item, CodeType)
    )


def _remade(code: CodeType, made: dict[int, tuple[CodeType, CodeType]]) -> CodeType:
    """Code that makes the mended functions of ``made`` in place of the originals."""
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _, present = made.get(id(constant), (None, constant))
            constants.append(_remade(present, made))
        else:
            constants.append(constant)
    same = all(new is old for new, old in zip(constants, code.co_consts, strict=True))
    return code if same else code.replace(co_consts=tuple(constants))


class making:  # noqa: N801 - used like a function
    """A context in which functions that calls make are mended, as a trace has them."""

    def __init__(
        self, owners: Iterable[FunctionType], made: dict[int, tuple[CodeType, CodeType]]
    ) -> None:
        self._owners = list(owners)
        self._made = made
        self._changed: list[tuple[FunctionType, CodeType, CodeType]] = []

    def __enter__(self) -> None:
        with _lock:
            for owner in self._owners:
                before = owner.__code__
                after = _remade(before, self._made)
                if after is not before:
                    owner.__code__ = after
                    self._changed.append((owner, before, after))

    def __exit__(self, *_: object) -> None:
        with _lock:
            for owner, before, after in self._changed:
                if owner.__code__ is after:
                    owner.__code__ = before


def lend(scope: dict[str, Any], name: str, value: object) -> None:
    """Give a module's names one that compiled code uses, until everything is taken out."""
    with _lock:
        if scope.get(name) is not value:
            scope[name] = value
            _lent.append((scope, name, value))


def compiled_before() -> list[CodeType]:
    """Code objects for which Dynamo may hold compiled entries."""
    convert_frame = sys.modules.get("torch._dynamo.convert_frame")
    if convert_frame is None:
        return []
    seen = getattr(convert_frame.input_codes, "seen", [])
    codes = [entry() if callable(entry) else entry for entry in seen]
    return [code for code in codes if isinstance(code, CodeType)]


def reset() -> None:
    """Drop Dynamo's compiled entries: any of them may have the old code inlined."""
    codes = compiled_before()
    if codes:
        eval_frame: Any = sys.modules["torch._dynamo.eval_frame"]
        for code in codes:
            eval_frame.reset_code(code)


def take_out(forget: bool = False) -> None:
    """Put every original back, exactly."""
    with _lock:
        for function, before, after in reversed(_factories):
            if function.__code__ is after:
                function.__code__ = before
        _suspended[:] = [] if forget else _factories
        _factories.clear()
        _find_made()
        for swap in _swaps.values():
            for function in swap.functions:
                if function.__code__ is swap.mended:
                    function.__code__ = swap.original
        for scope in _scopes.values():
            if scope.get(NAME) is runtime:
                del scope[NAME]
        for lent, name, value in _lent:
            if lent.get(name) is value:
                del lent[name]
        if forget:
            _lent.clear()
            _scopes.clear()
            _swaps.clear()
            _by_mended.clear()


def _find_made() -> None:
    """Note the functions that a factory made with mended code."""
    mended = [swap.mended for swap in _swaps.values()]
    for found in gc.get_referrers(*mended) if mended else ():
        if type(found) is FunctionType:
            swap = _by_mended.get(id(found.__code__))
            if swap is not None:
                swap.functions.add(found)


def put_back() -> None:
    """Swap everything in again after :func:`take_out`."""
    with _lock:
        for scope in _scopes.values():
            scope.setdefault(NAME, runtime)
        for lent, name, value in _lent:
            lent.setdefault(name, value)
        for owner, before, after in _suspended:
            if owner.__code__ is before:
                owner.__code__ = after
                _factories.append((owner, before, after))
        _suspended.clear()
        for swap in _swaps.values():
            for function in swap.functions:
                if function.__code__ is swap.original:
                    _enter(function, swap)
            _patch_factory(swap)


def restore() -> None:
    """Put every original back for good, drop what was compiled, and forget what was mended."""
    take_out(forget=True)
    mending = sys.modules.get("graphmend.mending")
    if mending is not None:
        mending.forget()
    evidence = sys.modules.get("graphmend.dynamo.evidence")
    if evidence is not None:
        evidence.uninstall()
    reset()


class unmended:  # noqa: N801 - used like a function
    """A context in which every original is back, and what was compiled is kept."""

    def __enter__(self) -> None:
        with _lock:
            if not _disabled:
                take_out()

    def __exit__(self, *_: object) -> None:
        with _lock:
            if not _disabled:
                put_back()


class disabled:  # noqa: N801 - used like a function
    """A context in which every original is back; mended code returns after it."""

    def __enter__(self) -> None:
        global _disabled
        with _lock:
            _disabled += 1
            if _disabled == 1:
                take_out()
                reset()

    def __exit__(self, *_: object) -> None:
        global _disabled
        with _lock:
            _disabled -= 1
            if _disabled == 0:
                put_back()
                reset()
