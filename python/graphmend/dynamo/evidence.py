"""Evidence from traces: what Dynamo inlines is mended first, and what it breaks on is noted.

Three of Dynamo's functions are wrapped, for traces of callables that :func:`graphmend.compile` made
and for no other: the one that begins to inline a function, the one that logs a break, and the one
that converts a frame.
"""

from __future__ import annotations

import contextlib
import functools
from types import FunctionType
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.convert_frame import ConvertFrameAssert
from torch._dynamo.exc import TorchDynamoException, Unsupported, UserError
from torch._dynamo.resume_execution import TORCH_DYNAMO_RESUME_IN_PREFIX
from torch._dynamo.symbolic_convert import InliningInstructionTranslator, InstructionTranslatorBase
from torch._dynamo.utils import get_compilation_metrics
from torch._dynamo.variables import (
    NestedUserFunctionVariable,
    UserDefinedObjectVariable,
    UserFunctionVariable,
)
from torch._dynamo.variables.base import VariableTracker

from graphmend import mending, operators, runtime, swap
from graphmend.dynamo import handlers
from graphmend.evidence import Break, identifier, parts

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphmend.mending import Mending

_HOOKED = (
    (InliningInstructionTranslator, "build_inline_tracer"),
    (InstructionTranslatorBase, "log_graph_break"),
    (ConvertFrameAssert, "__call__"),
)
_hooks: dict[str, tuple[Any, Any]] = {}
"""By name: what stands in Dynamo now, and what stood there before."""


class StillBroken(Unsupported):
    """Raised for ``fullgraph=True``: lists what is left, in the source of the user."""

    def __init__(self, message: str, cause: Unsupported) -> None:
        super().__init__(message, cause.gb_type or "", real_stack=cause.real_stack)
        self.remove_from_stats()


def install() -> None:
    """Put the wrappers in; those that something else replaced since are put in again."""
    made: dict[str, Callable[[Any], Any]] = {
        "build_inline_tracer": _building,
        "log_graph_break": _logging,
        "__call__": _converting,
    }
    for owner, name in _HOOKED:
        present = vars(owner)[name]
        ours, _ = _hooks.get(name, (None, None))
        if present is not ours:
            wrapper = made[name](present)
            _hooks[name] = (wrapper, present)
            setattr(owner, name, wrapper)


def uninstall() -> None:
    """Take the wrappers out."""
    for owner, name in _HOOKED:
        ours, before = _hooks.pop(name, (None, None))
        if ours is not None and vars(owner)[name] is ours:
            setattr(owner, name, before)


def _building(original: Any) -> Any:
    build = original.__func__ if isinstance(original, staticmethod) else original

    @functools.wraps(build)
    def build_inline_tracer(parent: Any, func: Any, args: Any, *rest: Any, **named: Any) -> Any:
        if not handlers.is_ours(parent):
            return build(parent, func, args, *rest, **named)
        result = handlers.backend_of(parent).result
        if isinstance(func, NestedUserFunctionVariable):
            return _nested(build, result, parent, func, args, *rest, **named)
        if isinstance(func, UserFunctionVariable) and type(func.fn) is FunctionType:
            _mend(func.fn, result, _owner(args))
        return build(parent, func, args, *rest, **named)

    return staticmethod(build_inline_tracer)


def _nested(build: Any, result: Mending, parent: Any, func: Any, *rest: Any, **named: Any) -> Any:
    """A function that is made during the trace is traced as mended, and stays as it was made."""
    before = func.code
    mended = None
    if before.is_python_constant():
        code = before.as_python_constant()
        mended = mending.mended_code(code, func.f_globals, result)
    _check(result)
    if mended is not None:
        func.code = VariableTracker.build(parent, mended)
    try:
        return build(parent, func, *rest, **named)
    finally:
        func.code = before


def _owner(args: Any) -> list[object]:
    """The module whose method is called, if it is one."""
    # Only objects have their value at hand: a sequence would make it, of constants.
    first = args[0] if args else None
    value = first.value if isinstance(first, UserDefinedObjectVariable) else None
    return [value] if isinstance(value, torch.nn.Module) else []


def _mend(function: FunctionType, result: Mending, owners: list[object]) -> None:
    mending.on_demand(function, result, owners)
    _check(result)


def _check(result: Mending) -> None:
    """Trace again when a function came up that an update traced before did not know of."""
    if result.contradicted:
        reason, result.contradicted = result.contradicted, ""
        result.stale = True
        raise operators.Retrace(restart_reason=reason)


def _logging(original: Any) -> Any:
    @functools.wraps(original)
    def log_graph_break(self: Any, code_options: Any, reason: str, exc: Any) -> None:
        listener = handlers.listener(self.output.compiler_fn) if not self.export else None
        if not exc.logged and listener is not None:
            listener.result.evidence.note(describe(exc, reason))
        original(self, code_options, reason, exc)

    return log_graph_break


def _converting(original: Any) -> Any:
    @functools.wraps(original)
    def convert(self: Any, frame: Any, *rest: Any, **named: Any) -> Any:
        backend = _ours(self)
        if backend is None:
            return original(self, frame, *rest, **named)
        result: Mending = backend.result
        code = frame.f_code
        if (
            not code.co_name.startswith(TORCH_DYNAMO_RESUME_IN_PREFIX)
            and handlers.our_backend(backend) is not None
            and mending.root_frame(code, result)
        ):
            result.stale = True
        result.evidence.last = None
        try:
            converted = original(self, frame, *rest, **named)
        except (Unsupported, UserError) as problem:
            result.evidence.note(describe(problem, str(problem), skipped=True))
            raise
        if converted.guarded_code is not None:
            result.evidence.traces += 1
            if backend.watch is not None:
                with contextlib.suppress(Exception):  # it is only told
                    _note_recompile(backend.watch, frame)
        elif result.evidence.last is None and code.co_filename != runtime.__file__:
            place = code.co_filename, code.co_firstlineno
            result.evidence.empty[place] = code.co_qualname
        return converted

    return convert


def _ours(convert: Any) -> Any:
    if convert._export or torch.compiler.is_exporting():
        return None
    return handlers.listener(convert._torchdynamo_orig_backend)


def _note_recompile(watch: Any, frame: Any) -> None:
    """Let the watch know if this frame was compiled before."""
    last = get_compilation_metrics()[-1]
    reason = last.recompile_reason
    code = frame.f_code
    if reason and (last.co_filename, last.co_firstlineno) == (
        code.co_filename,
        code.co_firstlineno,
    ):
        function = _resumed(code.co_name)
        if function is not None and "___stack" in reason:
            return  # it follows from what came before the break
        names = {**frame.f_globals, **frame.f_locals, "L": frame.f_locals, "G": frame.f_globals}
        code = swap.original(code)
        watch.recompiled(
            code, f"the rest of {function}" if function else code.co_qualname, reason, names
        )


def describe(problem: Any, message: str, skipped: bool = False) -> Break:
    """A break from the exception that tells of it."""
    stack = list(
        getattr(problem, "real_stack", None) or torch._guards.TracingContext.extract_stack()
    )
    last = stack[-1] if stack else None
    name = last.name if last is not None else ""
    name = _resumed(name) or name
    reason, advice = parts(message)
    return Break(
        path=last.filename if last is not None else "",
        line=(last.lineno or 0) if last is not None else 0,
        function=name,
        kind=str(getattr(problem, "gb_type", "") or type(problem).__name__),
        reason=reason,
        advice=advice,
        code=(last.line or "").strip() if last is not None else "",
        skipped=skipped,
        gb=identifier(message),
    )


def _resumed(name: str) -> str | None:
    """The function whose rest Dynamo made a function of this name for; None for another name."""
    if not name.startswith(TORCH_DYNAMO_RESUME_IN_PREFIX):
        return None
    return name[len(TORCH_DYNAMO_RESUME_IN_PREFIX) + 1 :].rsplit("_at_", 1)[0]


def still_broken(
    problem: TorchDynamoException, result: Mending, call: Callable[[], Any]
) -> StillBroken | None:
    """For ``fullgraph=True``: the error that lists what is left; None for another problem.

    ``call`` makes the call that failed again: what it breaks on further is found by that.
    """
    if not isinstance(problem, Unsupported) or isinstance(problem, StillBroken):
        return None
    from graphmend import reports
    from graphmend.dynamo import beyond

    first = describe(problem, problem.msg)
    try:
        others = beyond.breaks(call, result)
    except Exception as defect:
        mending.log.warning("internal problem: %s: %s", type(defect).__name__, defect)
        others = []
    return StillBroken(reports.broken(first, others, result), problem)
