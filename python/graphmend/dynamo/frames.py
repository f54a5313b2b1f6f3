"""The frames of the original program around a statement that an operator runs."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch._dynamo.resume_execution import TORCH_DYNAMO_RESUME_IN_PREFIX

from graphmend import outline
from graphmend.records import Frame

_MODULE = torch.nn.modules.module
_MODULE_CALLS = (_MODULE.Module._wrapped_call_impl, _MODULE.Module._call_impl)


def context(tx: Any, site: Any) -> tuple[Any, Any, Any]:
    """The statement as a function, the frames above it, and the code of the entry frame."""
    frames: list[Frame] = []
    inner = tx
    while inner.parent is not None:
        frames.extend(_module_frames(inner))
        inner = inner.parent
        frames.append(Frame(_named(inner.f_code), inner.lineno, inner.f_globals))
    function = outline.function(site, _named(tx.f_code), tx.f_globals)
    return function, tuple(reversed(frames)), tx.output.root_tx.f_code


def _named(code: Any) -> Any:
    """The code under its own name where Dynamo resumes in the middle of a function."""
    name = code.co_name
    if name.startswith(TORCH_DYNAMO_RESUME_IN_PREFIX):
        name = name[len(TORCH_DYNAMO_RESUME_IN_PREFIX) + 1 :].rsplit("_at_", 1)[0]
        return code.replace(co_name=name, co_qualname=name)
    return code


def _module_frames(tx: Any) -> list[Frame]:
    """The frames of a module's call, which Dynamo leaves out when it goes straight to forward."""
    code, parent = tx.f_code, tx.parent
    if code.co_name != "forward" or parent.f_code.co_filename == _MODULE.__file__:
        return []
    first = code.co_varnames[0] if code.co_argcount else ""
    module = tx.symbolic_locals.get(first)
    if module is None or not isinstance(getattr(module, "value", None), torch.nn.Module):
        return []
    line = parent.current_instruction.positions
    if line is not None and _calls_forward(parent, line.lineno):
        return []
    return [
        Frame(function.__code__, _last_line(function.__code__), vars(_MODULE))
        for function in reversed(_MODULE_CALLS)
    ]


def _calls_forward(tx: Any, line: int) -> bool:
    return any(
        instruction.argval == "forward"
        and instruction.positions is not None
        and instruction.positions.lineno == line
        for instruction in tx.instructions
    )


def _last_line(code: Any) -> int:
    """The line from which a module's call goes on, with no hooks."""
    name = "forward_call" if "forward_call" in code.co_varnames else "_call_impl"
    lines, first = inspect.getsourcelines(code)
    for number, text in enumerate(lines):
        if f"return {name}(" in text or f"return self.{name}(" in text:
            return first + number
    return first
