"""Values that a compiled call reads on the host: computed before it, by its prelude.

A *prelude* is a small program over the inputs of a compiled frame, recorded while tracing: the
operators whose result the original reads on the host, with all that they need. It runs when Dynamo
checks the guards of the compiled frame, leaves its results where the frame's inputs are taken from,
and the call then sees them like any other input: as integers and sizes that may change, or as
constants that are guarded.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from graphmend import profiles

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

NAME = "__graphmend_host__"
"""The global name by which compiled frames reach the results of their preludes."""

_PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)


class _Store(threading.local):
    """This thread's results, as attributes."""


store = _Store()


@dataclass
class Read:
    """A place where a program reads a value on the host, and what became of it."""

    path: str
    line: int
    function: str
    mend: str
    """``prelude`` or ``capture``; empty when the graph breaks there."""
    reason: str = ""
    used: int = 0


@dataclass(frozen=True)
class Ref:
    """The result of an earlier step, among the arguments of a step."""

    slot: int


@dataclass(frozen=True)
class Input:
    """An input of the frame: how it is found, and what the trace took for granted of it."""

    slot: int
    code: CodeType
    dtype: torch.dtype | None = None
    device: torch.device | None = None
    dim: int = 0

    def fits(self, value: object) -> bool:
        """Whether a value is such an input, so that the steps mean what they meant."""
        if self.dtype is None:
            return type(value) is int
        return (
            isinstance(value, torch.Tensor)
            and type(value) in _PLAIN
            and value.dtype is self.dtype
            and value.device == self.device
            and value.dim() == self.dim
        )


@dataclass(frozen=True)
class Step:
    """One operation: a function, or a method of the first argument."""

    slot: int
    target: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(eq=False)
class Program:
    """The prelude of one compiled frame; it grows while the frame is traced."""

    names: dict[str, Any]
    """What the codes of inputs may use besides the frame's variables."""
    work: list[Input | Step] = field(default_factory=list)
    results: list[tuple[int, str, bool]] = field(default_factory=list)
    """Slot, name in the store, and whether a copy is handed over."""
    written: list[tuple[CodeType, tuple[int, ...]]] = field(default_factory=list)
    """Inputs that the frame writes before a read, with the slots of the inputs of that read: they
    must share no memory."""
    values: list[Any] = field(default_factory=list)
    """The values of the call that is traced, by slot."""
    slots: int = 0
    profiled: dict[str, None] = field(default_factory=dict)
    """How profiles show the reads that it computes."""

    def slot(self) -> int:
        """The number of a new slot."""
        self.slots += 1
        return self.slots - 1

    def evaluate(self, code: CodeType, scope: dict[str, Any], variables: dict[str, Any]) -> Any:
        """The value of an input, given the frame's globals and variables."""
        return eval(code, {**self.names, "G": scope}, {"L": variables})

    def run(self, scope: dict[str, Any], variables: dict[str, Any]) -> bool:
        """Compute and hand over all results; False when that can't be done for this call."""
        if not profiles.recording():
            return self._run(scope, variables)
        with profiles.span(list(self.profiled)):
            return self._run(scope, variables)

    def _run(self, scope: dict[str, Any], variables: dict[str, Any]) -> bool:
        values: list[Any] = [None] * self.slots
        names, local = {**self.names, "G": scope}, {"L": variables}
        try:
            with alone():
                for item in self.work:
                    if isinstance(item, Input):
                        value = eval(item.code, names, local)
                        if not item.fits(value):
                            return False
                        values[item.slot] = value
                    else:
                        values[item.slot] = perform(item, values)
                for code, slots in self.written:
                    if overlap(eval(code, names, local), [values[slot] for slot in slots]):
                        return False
                for slot, name, copied in self.results:
                    value = values[slot]
                    setattr(store, name, value.clone() if copied else value)
        except Exception:
            # The original raises at its own place: these guards just don't hold.
            return False
        return True


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Operators as they are by themselves: no gradients, no overriding, no change of precision."""
    exclude = torch._C._dispatch_tls_local_exclude_set() | _AUTOCAST
    include = torch._C._dispatch_tls_local_include_set()
    with (
        torch.no_grad(),
        torch._C.DisableTorchFunction(),
        torch._C._ForceDispatchKeyGuard(include, exclude),
    ):
        yield


def _autocast_keys() -> torch._C.DispatchKeySet:
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU)
    for name in ("AutocastCUDA", "AutocastXPU", "AutocastMPS"):
        key = getattr(torch._C.DispatchKey, name, None)
        if key is not None:
            keys = keys.add(key)
    return keys


_AUTOCAST = _autocast_keys()


def perform(step: Step, values: list[Any]) -> Any:
    """The result of one step."""
    args = [_filled(argument, values) for argument in step.args]
    kwargs = {name: _filled(argument, values) for name, argument in step.kwargs.items()}
    if isinstance(step.target, str):
        return getattr(args[0], step.target)(*args[1:], **kwargs)
    return step.target(*args, **kwargs)


def _filled(argument: Any, values: list[Any]) -> Any:
    kind = type(argument)
    if kind is Ref:
        return values[argument.slot]
    if kind is tuple or kind is list:
        return kind(_filled(item, values) for item in argument)
    if kind is slice:
        return slice(
            _filled(argument.start, values),
            _filled(argument.stop, values),
            _filled(argument.step, values),
        )
    if kind is dict:
        return {name: _filled(item, values) for name, item in argument.items()}
    return argument


def overlap(written: Any, inputs: list[Any]) -> bool:
    """Whether a written value may share memory with one of some inputs."""
    if not isinstance(written, torch.Tensor):
        return True
    storage = written.untyped_storage()._cdata
    return any(
        isinstance(value, torch.Tensor) and value.untyped_storage()._cdata == storage
        for value in inputs
    )
