"""Builtins that Dynamo computes while it traces, with functions of the program as arguments.

``max(values, key=function)`` of constants is such a call: the function runs while the graph is
made, and never again. Dynamo breaks at a print in it only where it traces the function, so a mended
print would happen once and be lost. Where a mended effect is about to happen so, the call is left
to Python.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from torch._dynamo.exc import unimplemented
from torch._dynamo.variables.builtin import BuiltinVariable
from torch._dynamo.variables.functions import BaseUserFunctionVariable

from graphmend import runtime, sites, swap

_EFFECTS = ("effect", "update")
REASON = "Dynamo itself calls the function while it traces a builtin"


class _Executed(BaseException):
    """A mended effect is about to happen while Dynamo computes."""


def install() -> None:
    """Listen where Dynamo calls a builtin; done once."""
    kind: Any = BuiltinVariable
    kind.call_function = _calling(kind.call_function)


def _calling(original: Any) -> Any:
    @functools.wraps(original)
    def call_function(self: Any, tx: Any, args: Any, kwargs: Any) -> Any:
        given = (*args, *kwargs.values())
        if not any(isinstance(item, BaseUserFunctionVariable) for item in given):
            return original(self, tx, args, kwargs)
        from graphmend.dynamo.handlers import is_ours

        if not is_ours(tx):
            return original(self, tx, args, kwargs)
        try:
            with runtime.folding(_check):
                return original(self, tx, args, kwargs)
        except _Executed:
            unimplemented(gb_type=REASON, context="", explanation=REASON, hints=[])

    return call_function


def _check() -> None:
    code = swap.original(sys._getframe(2).f_code)
    for site in sites.all_sites():
        if (
            site.mend in _EFFECTS
            and site.status == "mended"
            and (site.path, site.function) == (code.co_filename, code.co_qualname)
        ):
            site.leave(REASON)
            raise _Executed
