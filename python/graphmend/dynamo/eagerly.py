"""Runs Python as it is written: nothing that is called meanwhile is compiled, or was before."""

from __future__ import annotations

import threading
from typing import Any

import torch
from torch._C._dynamo.eval_frame import set_eval_frame

_lock = threading.Lock()
_depth = 0
_stance: Any = None


class eagerly:  # noqa: N801 - used like a function
    """A context in which compiled callables run what they were made from.

    That holds for every thread, since torch knows one stance; threads may enter it at once. What
    Dynamo would do with the frames of this thread, being within another compiled call, waits.
    """

    def __enter__(self) -> None:
        global _depth, _stance
        self._callback = set_eval_frame(None)
        with _lock:
            if not _depth:
                _stance = torch.compiler.set_stance("force_eager")
            _depth += 1

    def __exit__(self, *_: object) -> None:
        global _depth, _stance
        with _lock:
            _depth -= 1
            if not _depth:
                _stance.__exit__(None, None, None)
                _stance = None
        set_eval_frame(self._callback)
