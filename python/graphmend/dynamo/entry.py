"""Where a guard may stop a compiled call: in the first frame that the call compiles."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from torch._dynamo import convert_frame, eval_frame
from torch._dynamo.guards import install_guard
from torch._dynamo.resume_execution import TORCH_DYNAMO_RESUME_IN_PREFIX
from torch._dynamo.source import GlobalStateSource

from graphmend import operators

if TYPE_CHECKING:
    from types import FrameType

_DYNAMO = eval_frame.__file__.rsplit("/", 1)[0]


def problem(tx: Any) -> str:
    """Why a guard in this trace could not be undone; empty when it can."""
    if tx.output.root_tx.f_code.co_name.startswith(TORCH_DYNAMO_RESUME_IN_PREFIX):
        return "a graph break comes before the guard"
    if not is_first():
        return "the function is not compiled as the first part of the call"
    call = operators.state.call
    if call is None or call.hooked():
        return "the module has forward hooks, which would run twice"
    return ""


def is_first() -> bool:
    """Whether the frame that is being compiled is the first one that a call of ours enters."""
    outside: FrameType | None = None
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename == convert_frame.__file__:
            outside = frame.f_back
        frame = frame.f_back
    return operators.state.call is not None and operators.directly_called(outside)


def guard() -> None:
    """Let the compiled code be used only where it is the first part of the call again."""
    install_guard(GlobalStateSource().make_guard(_only_at_entry))


def _only_at_entry(builder: Any, guard: Any) -> None:
    builder.guard_manager.root.add_lambda_guard(
        _is_entry, ["the first frame of a mended call"], guard.user_stack
    )


def _is_entry(_: object) -> bool:
    return may_check(sys._getframe(1))


def may_check(frame: FrameType) -> bool:
    """Whether guards that are checked under ``frame`` are those of a call's first frame."""
    name = frame.f_code.co_filename
    if name.startswith(_DYNAMO) and name not in operators.BETWEEN:
        return True  # Dynamo tries its guards right after compiling
    return operators.directly_called(frame)
