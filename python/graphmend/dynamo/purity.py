"""Whether what an outlined statement calls is pure, asked of the live objects."""

from __future__ import annotations

import inspect
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from graphmend import mending

if TYPE_CHECKING:
    from graphmend.sites import Site

_known: dict[int, tuple[Any, str]] = {}


def problem(site: Site, operands: dict[str, Any], scope: dict[str, Any]) -> str:
    """Why a call in the site's statement may do more than give a value; empty when none may.

    ``operands`` are the live objects by parameter, ``scope`` the globals of the function.
    """
    for chain in site.calls:
        first, *rest = chain.split(".")
        if first in operands:
            value = operands[first]
        elif first in scope:
            value = scope[first]
        else:
            return f"what {chain}() does is not known"
        for name in rest:
            try:
                value = inspect.getattr_static(value, name)
            except AttributeError:
                return f"what {chain}() does is not known"
        reason = _impurity(value)
        if reason:
            return f"{chain}() may do more than compute: {reason}"
    return ""


def _impurity(value: Any) -> str:
    if isinstance(value, (staticmethod, MethodType)):
        value = value.__func__
    if not isinstance(value, FunctionType):
        return "it is not a Python function"
    code = value.__code__
    known = _known.get(id(code))
    if known is None or known[0] is not code:
        known = _known[id(code)] = (code, mending.impurity(value))
    return known[1]
