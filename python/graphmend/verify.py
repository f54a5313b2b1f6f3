"""Verification: a call is also made in the original, and everything that can be seen is compared.

The mended call comes first, unheard; then the state is put back and the original runs, heard. So
the user gets the original's result, its effects once, and its state. A difference takes the mends
of the callable back at once.
"""

from __future__ import annotations

import os
import sys
import threading
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.exc import TorchDynamoException

from graphmend import logs, runtime, snapshots, swap, tapes
from graphmend.dynamo.eagerly import eagerly

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from graphmend.mending import Mending

log = logs.logger("verify")
HOW = ("first", "sample", "always")
VARIABLE = "GRAPHMEND_VERIFY"
_EVERY = 64
_FIRST = 2


class _Thread(threading.local):
    busy = False
    """Whether a call is being verified: calls within it are not verified apart."""


_thread = _Thread()


class DifferenceWarning(UserWarning):
    """A mended call did something else than the original; the mends were taken back."""


def chosen(verify: str | None) -> str | None:
    """How to verify: what the caller says, else what the environment does."""
    how = verify if verify is not None else os.environ.get(VARIABLE) or None
    if how is not None and how not in HOW:
        raise ValueError(f"verify={how!r} is none of {', '.join(map(repr, HOW))}")
    return how


@dataclass
class Outcome:
    """What one run showed."""

    value: Any = None
    problem: BaseException | None = None
    facts: list[snapshots.Fact] = field(default_factory=list)
    gradients: list[snapshots.Fact] | None = None
    tape: tapes.Tape = field(default_factory=lambda: tapes.Tape(heard=False))
    random: snapshots.RandomState | None = None

    def give(self) -> Any:
        """Return or raise what the run did."""
        if self.problem is not None:
            raise self.problem
        return self.value


class Verifier:
    """Decides which calls of one compiled callable are verified, and verifies them."""

    def __init__(self, how: str, result: Mending, exact: bool, options: dict[str, Any]) -> None:
        self.how = how
        self.result = result
        self.exact = exact
        """Whether the backend gives the bits that eager gives."""
        self.options = options
        self.calls = 0
        self.verified = 0
        self.skipped = ""
        """Why the last call that was due could not be verified."""
        self._seen: dict[Any, int] = {}
        self._traces = -1

    def due(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        """Whether this call is to be verified."""
        if self.result.off or _thread.busy or runtime.is_direct() or torch.compiler.is_compiling():
            return False
        self.calls += 1
        if self.how == "always":
            return True
        if self.how == "sample":
            return self.calls % _EVERY == 1
        traces = self.result.evidence.traces
        if traces != self._traces:  # compiled since: whatever variant it was is looked at again
            self._traces = traces
            self._seen.clear()
        key = _variant(args, kwargs)
        count = self._seen.get(key, 0)
        self._seen[key] = count + 1
        return count < _FIRST

    def call(
        self,
        mended: Callable[..., Any],
        original: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Make the call in both ways; gives what the original does."""
        _thread.busy = True
        try:
            return self._call(mended, original, args, kwargs)
        finally:
            _thread.busy = False

    def _call(
        self,
        mended: Callable[..., Any],
        original: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        try:
            before = snapshots.Snapshot(self.state(original, args, kwargs))
        except snapshots.Unkept as reason:
            return self._unverified(str(reason), lambda: mended(*args, **kwargs))
        first = self._run(mended, args, kwargs, before, heard=False)
        try:
            before.restore()
        except snapshots.Unkept as reason:
            first.tape.play()
            return self._unverified(str(reason), first.give)
        if isinstance(first.problem, TorchDynamoException):
            first.tape.play()  # it can't be compiled: that is said as without verification
            return first.give()
        with originals():
            second = self._run(original, args, kwargs, before, heard=True)
        self.verified += 1
        difference = self._difference(first, second, before)
        log.info("call %d was verified: %s", self.calls, difference or "it agrees")
        if difference:
            self._take_back(difference, before, original, args, kwargs)
        return second.give()

    def _unverified(self, reason: str, give: Callable[[], Any]) -> Any:
        if reason != self.skipped:
            log.warning("a call was not verified: %s", reason)
        self.skipped = reason
        return give()

    def state(
        self, original: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> snapshots.State:
        """What a call can see: its arguments, its object, and the globals that mended code uses."""
        values = {"arguments": list(args), "keywords": kwargs, "callable": original}
        return snapshots.State(values, self.result.scopes())

    def _run(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        before: snapshots.Snapshot,
        *,
        heard: bool,
    ) -> Outcome:
        outcome = Outcome(tape=tapes.Tape(heard=heard))
        with tapes.recording(outcome.tape):
            try:
                outcome.value = function(*args, **kwargs)
            except Exception as problem:
                outcome.problem = problem
        outcome.random = snapshots.RandomState()
        outcome.facts = snapshots.facts({**before.state.visible(), "result": outcome.value})
        outcome.gradients = _gradients(outcome.value, before.tensors, keep=heard)
        return outcome

    def _difference(self, mended: Outcome, wanted: Outcome, before: snapshots.Snapshot) -> str:
        exact = self.exact
        assert wanted.random is not None
        assert mended.random is not None
        drew = not wanted.random.same(before.random)
        if drew and not exact:
            log.warning("values were not compared: the call draws random numbers in another way")
        left, right = _problem(wanted.problem, exact), _problem(mended.problem, exact)
        if left != right:
            return f"the call raises {right or 'nothing'}, not {left or 'nothing'}"
        if exact and not wanted.random.same(mended.random):
            return "the random generators end in another state"
        reason = _tapes_differ(wanted.tape, mended.tape, exact)
        if reason or (drew and not exact):
            return reason
        reason = snapshots.first_difference(wanted.facts, mended.facts, exact)
        if not reason and wanted.gradients is not None and mended.gradients is not None:
            reason = snapshots.first_difference(wanted.gradients, mended.gradients, exact)
        return reason

    def _take_back(
        self,
        difference: str,
        before: snapshots.Snapshot,
        original: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> None:
        reason = f"verification found a difference: {difference}"
        for site in self.result.sites:
            if site.used:
                site.refused = reason
        self.result.off = reason
        swap.reset()
        from graphmend import reproduce

        try:
            folder = reproduce.write(difference, self, before, original, args, kwargs)
            hint = f"; to see it again: graphmend replay {folder}"
        except Exception as problem:
            hint = f"; no reproducer was written: {type(problem).__name__}: {problem}"
        warnings.warn(
            f"graphmend: a mended call differs from the original, whose result is given instead: "
            f"{difference}; the mends are taken back{hint}",
            DifferenceWarning,
            stacklevel=_levels_to_the_user(),
        )


def _levels_to_the_user() -> int:
    """How far above the caller the first frame is that is neither torch's nor ours."""
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(tapes.FOREIGN):
        frame, level = frame.f_back, level + 1
    return level


class originals(swap.unmended):  # noqa: N801 - used like a function
    """A context in which the original runs, in Python."""

    def __enter__(self) -> None:
        super().__enter__()
        self._eager = eagerly()
        self._eager.__enter__()

    def __exit__(self, *_: object) -> None:
        self._eager.__exit__()
        super().__exit__(*_)


def _variant(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What decides which compiled variant a call takes, roughly."""
    return (
        torch.is_grad_enabled(),
        tuple(map(_look, args)),
        tuple((name, _look(value)) for name, value in sorted(kwargs.items())),
    )


def _look(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return (value.shape, value.stride(), value.dtype, value.device, value.requires_grad)
    if isinstance(value, (list, tuple)):
        return (type(value), tuple(map(_look, value)))
    if isinstance(value, dict):
        return (dict, tuple((repr(key), _look(item)) for key, item in value.items()))
    return value if isinstance(value, (bool, int, float, str, type(None))) else type(value)


def _problem(problem: BaseException | None, exact: bool) -> str:
    if problem is None:
        return ""
    text = f"{type(problem).__name__}: {problem}"
    return text if exact else snapshots.without_numbers(text)


def _tapes_differ(wanted: tapes.Tape, got: tapes.Tape, exact: bool) -> str:
    def texts(tape: tapes.Tape) -> list[tuple[str, str]]:
        change: Any = str if exact else snapshots.without_numbers
        return [(event.kind, change(event.text)) for event in tape.events]

    left, right = texts(wanted), texts(got)
    for one, two in zip(left, right, strict=False):
        if one != two:
            return f"it tells {two!r}, not {one!r}"
    if len(left) != len(right):
        longer = left if len(left) > len(right) else right
        which = "does not tell" if longer is left else "also tells"
        return f"it {which} {longer[min(len(left), len(right))]!r}"
    return ""


def _tensors(value: Any, depth: int = 0) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if depth > 8:
        return []
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors(item, depth + 1)]
    return []


def _gradients(
    value: Any, reachable: list[torch.Tensor], *, keep: bool
) -> list[snapshots.Fact] | None:
    """The gradients of what was given, in a fixed direction; None when there are none to take."""
    outputs = [t for t in _tensors(value) if t.requires_grad and t.grad_fn is not None]
    leaves = [t for t in reachable if t.requires_grad and t.is_leaf]
    if not outputs or not leaves or not torch.is_grad_enabled():
        return None
    directions = [
        torch.cos(torch.arange(t.numel(), dtype=torch.float64, device=t.device))
        .reshape(t.shape)
        .to(t.dtype)
        for t in outputs
    ]
    try:
        with tapes.recording(tapes.Tape(heard=False)):
            given = torch.autograd.grad(
                outputs, leaves, directions, retain_graph=keep, allow_unused=True
            )
    except Exception as problem:
        return [snapshots.Fact("gradients", f"{type(problem).__name__}: {problem}")]
    return [
        snapshots.Fact(f"gradient {index}", "none" if g is None else str(g.dtype), g)
        for index, g in enumerate(given)
    ]
