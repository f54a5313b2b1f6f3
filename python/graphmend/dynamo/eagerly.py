"""Runs Python as it is written: nothing that is called meanwhile is compiled, or was before."""

from __future__ import annotations

import threading
from typing import Any

from torch._C._dynamo.eval_frame import set_eval_frame
from torch._dynamo import eval_frame


class _Local(threading.local):
    depth = 0


_local = _Local()


class _StanceOfThread:
    """torch's stance, which is one for the process, but for threads that run eagerly."""

    def __init__(self, others: Any) -> None:
        self.others = others

    @property
    def stance(self) -> Any:
        """How compiled code is run in this thread."""
        return "force_eager" if _local.depth else self.others.stance

    def __getattr__(self, name: str) -> Any:
        return getattr(self.others, name)


class eagerly:  # noqa: N801 - used like a function
    """A context in which compiled callables run what they were made from, in this thread.

    What Dynamo would do with the frames of this thread, being within another compiled call, waits.
    """

    def __enter__(self) -> None:
        self._callback = set_eval_frame(None)
        known: Any = eval_frame
        if not isinstance(known._stance, _StanceOfThread):
            known._stance = _StanceOfThread(known._stance)
        _local.depth += 1

    def __exit__(self, *_: object) -> None:
        _local.depth -= 1
        set_eval_frame(self._callback)
