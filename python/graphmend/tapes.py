"""What a call tells the outside (text, log records, warnings), recorded in order."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

_TORCH = os.path.dirname(torch.__file__) + os.sep
FOREIGN = (_TORCH, os.path.dirname(__file__) + os.sep)
"""Where the code of torch and graphmend is."""
_COMPILER = tuple(
    os.path.join(_TORCH, part)
    for part in ("_dynamo", "_inductor", "_functorch", "_guards.py", "_higher_order_ops", "fx")
)


@dataclass
class Event:
    """One thing told: what is compared, and how it is told for real."""

    kind: str
    text: str
    tell: Callable[[], Any]


@dataclass
class Tape:
    """Events in order; ``heard`` says whether they are also told at once."""

    heard: bool
    events: list[Event] = field(default_factory=list)
    _telling: bool = False

    def add(self, kind: str, text: str, tell: Callable[[], Any]) -> None:
        """Record an event, and tell it if the tape is heard."""
        if self._telling:  # what a handler writes belongs to its record
            tell()
            return
        last = self.events[-1] if self.events else None
        if last is not None and last.kind == kind and kind in ("stdout", "stderr"):
            before = last.tell
            self.events[-1] = Event(kind, last.text + text, lambda: (before(), tell()))
        else:
            self.events.append(Event(kind, text, tell))
        if self.heard:
            self._telling = True
            try:
                tell()
            finally:
                self._telling = False

    def aside(self, tell: Callable[[], Any]) -> None:
        """Tell what is not the program's: nothing of it is recorded, nor the text it becomes."""
        before, self._telling = self._telling, True
        try:
            tell()
        finally:
            self._telling = before

    def play(self) -> None:
        """Tell all that was recorded and not heard."""
        for event in self.events:
            event.tell()


class _Writer:
    """Stands for a stream; all but writing is the stream's."""

    def __init__(self, stream: Any, name: str, tape: Tape) -> None:
        self._stream, self._name, self._tape = stream, name, tape

    # Dynamo leaves what it is given here to Python, as it does with a stream.
    @torch.compiler.disable  # type: ignore[untyped-decorator]
    def write(self, text: str) -> int:
        stream = self._stream
        self._tape.add(self._name, text, lambda: stream.write(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _of_the_compiler() -> bool:
    """Whether torch's compiler warns, wherever it says that this comes from."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == warnings.__file__:
        frame = frame.f_back
    return frame is not None and frame.f_code.co_filename.startswith(_COMPILER)


@contextlib.contextmanager
def recording(tape: Tape) -> Iterator[None]:
    """Record what is told; what torch and graphmend log and warn of is passed on."""
    out, err = sys.stdout, sys.stderr
    handle, show = logging.Logger.handle, warnings.showwarning

    def handling(self: logging.Logger, record: logging.LogRecord) -> None:
        if record.pathname.startswith(FOREIGN):
            tape.aside(lambda: handle(self, record))
            return
        text = (
            f"{record.name} {record.levelname} {record.pathname}:{record.lineno} "
            f"{record.funcName}: {record.getMessage()}"
        )
        tape.add("log record", text, lambda: handle(self, record))

    def showing(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        def tell() -> None:
            show(message, category, filename, lineno, file, line)

        if filename.startswith(FOREIGN) or _of_the_compiler():
            tape.aside(tell)
        else:
            tape.add("warning", f"{category.__name__} {filename}:{lineno}: {message}", tell)

    sys.stdout, sys.stderr = _Writer(out, "stdout", tape), _Writer(err, "stderr", tape)
    logging.Logger.handle = handling  # type: ignore[method-assign]
    warnings.showwarning = showing
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
        logging.Logger.handle = handle  # type: ignore[method-assign]
        warnings.showwarning = show
