"""Outlined statements: one site's statement as a function over its operands."""

from __future__ import annotations

from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from graphmend import source

if TYPE_CHECKING:
    from graphmend.sites import Site

_FUNCTIONS: dict[tuple[str, int, str], FunctionType] = {}


def function(site: Site, frame: CodeType, scope: dict[str, Any]) -> FunctionType:
    """The statement of ``site`` as a function that looks like the traced frame.

    Its file name, name and lines are the original's, its globals are those of the frame.
    """
    key = (site.id, id(scope), frame.co_qualname)
    made = _FUNCTIONS.get(key)
    if made is None or made.__globals__ is not scope:
        if site.code is None:
            site.code = source.compile_text(
                site.outline_text,
                site.outline_lines,
                frame.co_filename,
                name=_name(site.outline_text),
                qualname=frame.co_qualname,
                flags=frame.co_flags,
            )
        code = site.code.replace(
            co_filename=frame.co_filename,
            co_name=frame.co_name,
            co_qualname=frame.co_qualname,
            co_firstlineno=site.code.co_firstlineno,
        )
        made = _FUNCTIONS[key] = FunctionType(code, scope)
    return made


def _name(text: str) -> str:
    head = text.lstrip().split("(", 1)[0]
    return head.split()[-1]
