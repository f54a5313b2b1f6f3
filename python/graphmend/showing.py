"""``graphmend show``: the mended text of a function, as a difference to the original."""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import io
import sys
import tokenize
from pathlib import Path
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = """\
usage: graphmend show MODULE.FUNCTION | FILE.py:FUNCTION

Shows how a function is mended: a difference between the original and what is traced in its place,
and why each site is mended or not. The module is imported.
"""


class Unfound(Exception):  # noqa: N818 - told to the user as it is
    """There is no such function."""


def main(arguments: Sequence[str]) -> int:
    """The command; 1 when there is no such function, 0 otherwise."""
    if list(arguments) in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(USAGE, end="", file=sys.stderr)
        return 2
    # A module that reads the command's arguments when it is imported finds none.
    sys.argv[1:] = []
    try:
        function = find(arguments[0])
    except Unfound as problem:
        print(f"graphmend show: {problem}", file=sys.stderr)
        return 1
    print(text(function), end="")
    return 0


def find(name: str) -> FunctionType:
    """The function of that name; :class:`Unfound` when there is none."""
    if ":" in name:
        path, _, rest = name.rpartition(":")
        spec = importlib.util.spec_from_file_location(Path(path).stem, path)
        if spec is None or spec.loader is None or not Path(path).is_file():
            raise Unfound(f"there is no Python file {path}")
        value: Any = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = value
        sys.path.insert(0, str(Path(path).resolve().parent))
        spec.loader.exec_module(value)
        parts = rest.split(".")
    else:
        value, parts = _module(name)
    for part in parts:
        try:
            value = getattr(value, part)
        except AttributeError:
            raise Unfound(f"{name}: there is no {part}") from None
    return _function(value, name)


def _module(name: str) -> tuple[Any, list[str]]:
    """The longest part of a dotted name that is a module, and what follows it."""
    parts = name.split(".")
    sys.path.insert(0, "")
    for count in range(len(parts) - 1, 0, -1):
        try:
            return importlib.import_module(".".join(parts[:count])), parts[count:]
        except ModuleNotFoundError as problem:
            if not ".".join(parts[:count]).startswith(problem.name or "?"):
                raise
    raise Unfound(f"there is no module {parts[0]}")


def _function(value: Any, name: str) -> FunctionType:
    while not isinstance(value, FunctionType):
        if isinstance(value, (MethodType, staticmethod, classmethod)):
            value = value.__func__
        elif isinstance(value, functools.partial):
            value = value.func
        elif isinstance(value, type) and hasattr(value, "forward"):
            value = value.forward
        elif hasattr(value, "__wrapped__"):
            value = value.__wrapped__
        else:
            raise Unfound(f"{name} is no Python function")
    return value


def text(function: FunctionType) -> str:
    """The difference, and a line or two for each site."""
    from graphmend import mending, source, swap

    code = swap.original(function.__code__)
    lines: list[str] = []
    try:
        answer = mending.ask(code, function)
    except source.Uncompilable as problem:
        return f"{code.co_qualname} is left as it is: {problem}\n"
    before = answer.original_text.splitlines(keepends=True)
    after = _indented(answer.text).splitlines(keepends=True)
    if answer.status == "mended":
        place = f"{code.co_filename}:{code.co_firstlineno}"
        lines += difflib.unified_diff(before, after, place, f"{place} (mended)", n=2)
    for site in answer.sites:
        what = site.mend if site.status == "mended" else f"declined: {site.reason}"
        lines.append(f"line {site.line}: {site.kind}: {what}\n")
        if site.advice and site.status != "mended":
            lines.append(f"    {site.advice}\n")
    if not answer.sites:
        lines.append(f"{code.co_qualname}: nothing in it breaks a graph, as far as it shows\n")
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def _indented(text: str) -> str:
    """The text with four columns for each level, as people write it."""
    lines = text.splitlines(keepends=True)
    level = shift = 0
    fresh = True
    moved: dict[int, int] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.INDENT:
                level += 1
            elif token.type == tokenize.DEDENT:
                level -= 1
            elif token.type in (tokenize.NL, tokenize.COMMENT):
                continue
            elif fresh:
                shift = 4 * level - token.start[1]
                fresh = False
            if token.type not in (tokenize.INDENT, tokenize.DEDENT):
                inside = token.type == tokenize.STRING and token.start[0] != token.end[0]
                for row in range(token.start[0], token.end[0] + 1):
                    moved.setdefault(row, 0 if inside and row > token.start[0] else shift)
            if token.type == tokenize.NEWLINE:
                fresh = True
    except (tokenize.TokenError, IndentationError):
        return text
    for number, change in moved.items():
        if number <= len(lines) and change:
            line = lines[number - 1]
            own = len(line) - len(line.lstrip(" "))
            lines[number - 1] = " " * max(0, own + change) + line.lstrip(" ")
    return "".join(lines)
