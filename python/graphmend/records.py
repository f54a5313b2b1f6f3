"""Synthetic frames: outlined statements see the stack that the original statement saw.

A log record names the path, line and function of the frame that logged; a warning looks up its
registry in the globals of a frame some levels up. When a statement runs inside an operator of a
compiled graph, those frames are gone. :func:`below` puts small frames in their place, each with the
file name, function name, line and globals of the frame it stands for.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Step = FunctionType
_STEPS: dict[tuple[CodeType, int, int, bool], Step] = {}
_MAX_CALLERS = 32


def _inner(steps: Any, index: int, arguments: Any) -> Any:
    return steps[index](steps, index + 1, arguments)


def _last(steps: Any, index: int, arguments: Any) -> Any:
    return steps[index](*arguments)


@dataclass(frozen=True)
class Frame:
    """One frame of a stack: its code, its current line, its globals."""

    code: CodeType
    line: int
    globals: dict[str, Any] = field(repr=False, hash=False, compare=False)

    def step(self, last: bool) -> Step:
        """A function whose frame looks like this one and calls what comes below it."""
        key = (self.code, self.line, id(self.globals), last)
        step = _STEPS.get(key)
        if step is None or step.__globals__ is not self.globals:
            template = _last.__code__ if last else _inner.__code__
            code = template.replace(
                co_filename=self.code.co_filename,
                co_name=self.code.co_name,
                co_qualname=self.code.co_qualname,
                co_firstlineno=self.line - 1,  # the call is on the line after the first
            )
            step = _STEPS[key] = FunctionType(code, self.globals)
        return step


def below(frames: Sequence[Frame], function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call ``function(*arguments)`` below ``frames``, the outermost first."""
    if not frames:
        return function(*arguments)
    final = len(frames) - 1
    steps = [frame.step(index == final) for index, frame in enumerate(frames)]
    return steps[0]((*steps, function), 1, arguments)


def callers(entry: CodeType, skip: Callable[[FrameType], bool]) -> list[Frame]:
    """The frames above the compiled frame of ``entry``, outermost first, ours left out.

    ``skip`` says which frames only the compiled call has. Empty when ``entry`` is not on the stack.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_frame_of(frame, entry):
        frame = frame.f_back
    found: list[Frame] = []
    frame = frame.f_back if frame is not None else None
    while frame is not None and len(found) < _MAX_CALLERS:
        if not skip(frame):
            found.append(Frame(frame.f_code, frame.f_lineno, frame.f_globals))
        frame = frame.f_back
    found.reverse()
    return found


def is_frame_of(frame: FrameType, code: CodeType) -> bool:
    """Whether a frame runs ``code``, or what Dynamo made of it."""
    own = frame.f_code
    return own is code or (
        own.co_name == code.co_name
        and own.co_firstlineno == code.co_firstlineno
        and own.co_filename == code.co_filename
    )
