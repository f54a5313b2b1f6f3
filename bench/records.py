"""What a program says: log records and warnings, in the order in which they come out.

Records are taken where the outside sees them: by a handler on every root of the tree of loggers,
and by the hook that shows warnings. Levels, filters and the once-only registries stay as they are.

torch speaks about compilation itself (a recompile limit, a slow path). That is neither the model's
nor ours, and a compiled model is allowed it. So loggers below ``torch`` are left out; and warnings
whose ``warn`` is called by code of torch's compiler, wherever the warning then says that it comes
from, are kept apart.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import torch

Record = dict[str, Any]

_TORCH = Path(torch.__file__).resolve().parent
_COMPILER = tuple(
    str(_TORCH / part)
    for part in (
        "_dynamo",
        "_inductor",
        "_functorch",
        "_logging",
        "_guards.py",
        "_higher_order_ops",
        "fx",
    )
)


@dataclass
class Heard:
    """Records of the program, and warnings that torch's compiler added."""

    records: list[Record] = field(default_factory=list)
    compiler: list[str] = field(default_factory=list)


def _log_record(record: logging.LogRecord) -> Record:
    raised = record.exc_info[1] if record.exc_info else None
    return {
        "kind": "log",
        "level": record.levelname,
        "logger": record.name,
        "message": record.getMessage(),
        "args": repr(record.args),
        "path": record.pathname,
        "line": record.lineno,
        "function": record.funcName,
        "exception": repr(raised) if raised else "",
        "stack": bool(record.stack_info),
    }


def _caller_of_warn() -> FrameType | None:
    """The frame that called ``warnings.warn``, seen from the hook that shows warnings."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename == warnings.__file__:
        frame = frame.f_back
    return frame


class _Handler(logging.Handler):
    def __init__(self, heard: Heard) -> None:
        super().__init__()
        self.heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        if not _of_torch(record.name):
            self.heard.records.append(_log_record(record))


def _of_torch(name: str) -> bool:
    return name == "torch" or name.startswith("torch.")


def _roots() -> list[logging.Logger]:
    """Loggers whose records go no further up: the root, and those that don't propagate."""
    # One of torch's own starts to trace what it compiles when it is given a handler.
    loggers = [
        logger
        for name, logger in logging.root.manager.loggerDict.items()
        if isinstance(logger, logging.Logger) and not logger.propagate and not _of_torch(name)
    ]
    return [logging.root, *loggers]


@contextlib.contextmanager
def listen() -> Iterator[Heard]:
    """Collect records for the length of a ``with``, which warnings.catch_warnings does not end."""
    heard = Heard()
    handler = _Handler(heard)
    roots = _roots()
    show = warnings.showwarning

    def showing(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: Any = None,
        line: str | None = None,
    ) -> None:
        caller = _caller_of_warn()
        if caller is not None and caller.f_code.co_filename.startswith(_COMPILER):
            heard.compiler.append(f"{category.__name__}: {message}")
            return
        heard.records.append(
            {
                "kind": "warning",
                "category": category.__name__,
                "message": str(message),
                "path": filename,
                "line": lineno,
            }
        )

    for root in roots:
        root.addHandler(handler)
    warnings.showwarning = showing
    try:
        yield heard
    finally:
        warnings.showwarning = show
        for root in roots:
            root.removeHandler(handler)
