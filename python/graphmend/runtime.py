"""What mended code calls, through the reserved global name ``__graphmend__``.

Eagerly each of these answers at once that nothing is mended, so that the original statement runs.
While Dynamo traces a callable made by :func:`graphmend.compile`, the calls never happen: the
handlers in :mod:`graphmend.dynamo` take them. *Direct mode* is the third way: the original is run
again after a guard fired in a compiled graph, and the effects that the graph already had are left
out.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_direct_threads = 0
_direct_lock = threading.Lock()


class _Direct(threading.local):
    """This thread's direct mode: the sites whose next effect is to be left out, in order."""

    depth = 0
    folding: Callable[[], None] | None = None
    """What is called when mended code runs while Dynamo computes a builtin by itself."""
    emitted: list[str] = []  # noqa: RUF012 - replaced for each run, never written in place


_direct = _Direct()


def is_direct() -> bool:
    """Whether this thread runs an original again, after a guard fired."""
    return _direct.depth > 0


def active() -> bool:
    """Whether the mended form of a statement is to be used."""
    if not _direct_threads:
        return False
    if _direct.folding is not None:
        _direct.folding()
    return _direct.depth > 0


@contextlib.contextmanager
def folding(check: Callable[[], None]) -> Iterator[None]:
    """Call ``check`` whenever mended code runs by itself in this thread."""
    global _direct_threads
    before = _direct.folding
    with _direct_lock:
        _direct_threads += 1
    _direct.folding = check
    try:
        yield
    finally:
        _direct.folding = before
        with _direct_lock:
            _direct_threads -= 1


def is_tensor(value: object) -> bool:
    """Whether a predicate is a tensor, so that its value is not known while tracing."""
    return isinstance(value, torch.Tensor)


def rest_and(value: Any) -> bool:
    """Whether the rest of ``value and ...`` is needed: a tensor, or a truthy Python value."""
    return isinstance(value, torch.Tensor) or bool(value)


def rest_or(value: Any) -> bool:
    """Whether the rest of ``value or ...`` is needed: a tensor, or a falsy Python value."""
    return isinstance(value, torch.Tensor) or not value


def and_(left: Any, right: Any) -> Any:
    """``left and right``; while tracing, a logical and when one of them is a tensor."""
    return left and right


def or_(left: Any, right: Any) -> Any:
    """``left or right``; while tracing, a logical or when one of them is a tensor."""
    return left or right


def not_(value: Any) -> Any:
    """``not value``; while tracing, a logical not when it is a tensor."""
    return not value


def run(site: str, operands: tuple[Any, ...], pred: Any = None) -> bool:
    """Run a site's statement as an ordered operator of the graph; False when it can't be."""
    if _direct_threads and _direct.depth and _direct.emitted and _direct.emitted[0] == site:
        del _direct.emitted[0]
        return True
    return False


def may_try(site: str) -> bool:
    """Whether arms that may not fit may be traced: whether a failure could be undone."""
    return False


def select(
    site: str,
    pred: Any,
    news: tuple[Any, ...],
    olds: tuple[Any, ...],
    escapes: tuple[bool, ...],
    grad_safe: bool,
) -> tuple[Any, ...] | None:
    """Choose each of ``news`` or ``olds`` by ``pred`` in the graph; None when it can't be."""
    return None


def cond(
    site: str,
    pred: Any,
    chosen: Callable[..., Any],
    other: Callable[..., Any],
    arguments: tuple[Any, ...],
    escapes: tuple[bool, ...],
    strict: bool,
) -> tuple[Any, ...] | None:
    """Run one of two arms by ``pred`` in the graph and give what it binds; None when it can't be.

    ``strict``: a Python value chooses an arm as well, and None is never given.
    """
    return _arm(pred, chosen, other, arguments) if strict else None


def tail(
    site: str,
    pred: Any,
    chosen: Callable[..., Any],
    other: Callable[..., Any],
    arguments: tuple[Any, ...],
    strict: bool,
) -> tuple[Any] | None:
    """The same for arms that go on to the function's end; gives what it returns, as a tuple."""
    return (_arm(pred, chosen, other, arguments),) if strict else None


def _arm(
    pred: Any, chosen: Callable[..., Any], other: Callable[..., Any], arguments: tuple[Any, ...]
) -> Any:
    return (chosen if pred else other)(*arguments)


def update(
    site: str, pred: Any, operands: tuple[Any, ...], obj: object, attrs: tuple[str, ...]
) -> bool:
    """Run a site that rebinds attributes of ``obj`` in the graph; False when it can't be."""
    return False


def entries(site: str, places: Any) -> Any:
    """What a loop over places iterates over; while tracing, all places where that is the same."""
    return places


def entry(site: str) -> None:
    """Where an iteration of such a loop begins, and where the loop ends."""


@contextlib.contextmanager
def direct(emitted: list[str]) -> Iterator[None]:
    """Run originals with the effects named in ``emitted`` left out, as they happened already."""
    global _direct_threads
    before = _direct.emitted
    with _direct_lock:
        _direct_threads += 1
    _direct.depth += 1
    _direct.emitted = list(emitted)
    try:
        yield
    finally:
        _direct.emitted = before
        _direct.depth -= 1
        with _direct_lock:
            _direct_threads -= 1
