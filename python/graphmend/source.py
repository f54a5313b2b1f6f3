"""From the text of one function to a code object that looks like the original's.

The text is compiled alone, in a small context that gives it what its place in the file gave it: an
enclosing function for its free variables, a class of the right name for private names and for
``super()``, the same future flags. Positions are moved to the original lines by a line map, and
names, first lines and flags are put back as they were.
"""

from __future__ import annotations

import ast
import dis
import re
import sys
from types import CodeType
from typing import TYPE_CHECKING, Any

from graphmend import positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NESTED = 0x10
_FUTURE = 0x1FE0000
"""The bits of ``co_flags`` that ``from __future__`` sets."""

_PRIVATE = re.compile(r"\b__(?!gm_)(?!graphmend__)\w*(?<!__)\b")
_METHOD_BIT = sys.version_info >= (3, 12)
_CACHE = dis.opmap["CACHE"]
_EXTENDED = dis.EXTENDED_ARG
_LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
_LOAD_METHOD = dis.opmap["LOAD_ATTR" if _METHOD_BIT else "LOAD_METHOD"]


class Uncompilable(Exception):  # noqa: N818 - a reason to leave a function alone
    """The text doesn't compile to a function that can stand for the original."""


def compile_text(
    text: str,
    lines: Sequence[tuple[int, int | None]],
    path: str,
    *,
    name: str,
    qualname: str,
    flags: int,
    freevars: Sequence[str] = (),
    firstlineno: int | None = None,
    imported: Iterable[str] = (),
) -> CodeType:
    """Compile the ``def`` statement ``text`` to the code object of its function.

    ``lines`` gives, for each line of ``text``, the original line and how many columns to the right
    the original stands; None for text that the original does not have. ``flags`` are the
    ``co_flags`` of the original. ``imported`` are global names that the file imports: CPython
    calls their attributes with other instructions.
    """
    class_name = _class_name(qualname, freevars) if _needs_class(text, freevars) else ""
    direct = not class_name and not freevars
    module: Any
    try:
        if direct:
            head = "".join(f"import {name};" for name in imported)
            module = f"{head}\n{text}"
        else:
            tree = ast.parse(text, path)
            _move(tree, lines)
            module = _context(tree, class_name, freevars, imported)
        made = compile(module, path, "exec", flags=flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError) as problem:
        raise Uncompilable(f"the text does not compile: {problem}") from problem
    for code in _functions(made, name):
        placed = positions.moved(code, lines, 1) if direct else code
        return _named_as(placed, qualname, flags, firstlineno)
    raise Uncompilable(f"the text does not define {name}")


def _needs_class(text: str, freevars: Iterable[str]) -> bool:
    """Whether a function's text depends on the class around it."""
    return "__class__" in freevars or _PRIVATE.search(text) is not None


def _move(tree: ast.Module, lines: Sequence[tuple[int, int | None]]) -> None:
    """Give each node its original position."""
    last = len(lines)
    work: list[Any] = [tree]
    while work:
        own = work.pop().__dict__
        for value in own.values():
            if type(value) is list:
                work.extend([item for item in value if isinstance(item, ast.AST)])
            elif isinstance(value, ast.AST):
                work.append(value)
        line = own.get("lineno")
        if line is None:
            continue
        end = own.get("end_lineno") or line
        first, shift = lines[line - 1 if line < last else last - 1]
        final, end_shift = lines[end - 1 if end < last else last - 1]
        if shift is None or end_shift is None or final < first:
            own["lineno"], own["end_lineno"] = first, max(first, final)
            own["col_offset"] = own["end_col_offset"] = -1 if final <= first else 0
            continue
        own["lineno"], own["end_lineno"] = first, final
        # What the line map's text adds in front of the original may fall off the line's start.
        own["col_offset"] = max(0, own["col_offset"] + shift)
        own["end_col_offset"] = max(0, (own.get("end_col_offset") or 0) + end_shift)


def _class_name(qualname: str, freevars: Iterable[str]) -> str:
    """The innermost class around the function, or an empty string."""
    parts = qualname.split(".")[:-1]
    for index in range(len(parts) - 1, -1, -1):
        if parts[index] != "<locals>" and (
            index + 1 == len(parts) or parts[index + 1] != "<locals>"
        ):
            return parts[index]
    return "GraphmendClass" if "__class__" in freevars else ""


def imported_names(code: CodeType) -> set[str]:
    """The global names of a code object that its file imports, as far as its instructions show."""
    names, raw = code.co_names, code.co_code
    loaded: set[str] = set()
    called: set[str] = set()
    before, extended = "", 0
    for at in range(0, len(raw), 2):
        operation = raw[at]
        if operation == _CACHE:
            continue
        argument = raw[at + 1] | extended
        extended = argument << 8 if operation == _EXTENDED else 0
        if operation == _LOAD_GLOBAL:
            before = names[argument >> 1]
            loaded.add(before)
        elif operation != _EXTENDED:
            if operation == _LOAD_METHOD and (argument & 1 or not _METHOD_BIT):
                called.add(before)
            before = ""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            loaded |= imported_names(constant)
    return loaded - called


def _context(
    tree: ast.Module, class_name: str, freevars: Sequence[str], imported: Iterable[str]
) -> ast.Module:
    """Put the definition into a class and a function, as far as it needs them."""
    head = [f"import {name}" for name in imported]
    pad = ""
    bound = [name for name in freevars if name != "__class__"]
    if bound:
        head += ["def graphmend_outer():", f" {' = '.join(bound)} = None"]
        pad = " "
    if class_name:
        head.append(f"{pad}class {class_name}: pass")
    context = ast.parse("\n".join(head))
    place = context.body
    if bound:
        place = _block(place[-1])
    if class_name:
        place = _block(place[-1])
    place.extend(tree.body)
    return context


def _block(statement: ast.stmt) -> list[ast.stmt]:
    assert isinstance(statement, (ast.FunctionDef, ast.ClassDef))
    return statement.body


def _functions(code: CodeType, name: str) -> Iterable[CodeType]:
    """Code objects of that name below ``code``, the outermost first."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    for found in inner:
        if found.co_name == name:
            yield found
    for found in inner:
        if found.co_name in ("graphmend_outer", "<generic parameters>") or not (
            found.co_flags & 0x2
        ):
            yield from _functions(found, name)


def _named_as(code: CodeType, qualname: str, flags: int, firstlineno: int | None) -> CodeType:
    """The code with the original's qualified name, nesting flag and first line."""
    old = code.co_qualname

    def rename(inner: CodeType) -> CodeType:
        constants = tuple(rename(c) if isinstance(c, CodeType) else c for c in inner.co_consts)
        own = inner.co_qualname
        if own == old or own.startswith(old + "."):
            own = qualname + own[len(old) :]
        return inner.replace(co_consts=constants, co_qualname=own)

    made = rename(code)
    nested = flags & _NESTED
    made = made.replace(co_flags=made.co_flags & ~_NESTED | nested)
    if firstlineno is not None and made.co_firstlineno != firstlineno:
        raise Uncompilable("the text begins on another line than the original")
    return made


def same_code(left: CodeType, right: CodeType) -> bool:
    """Whether two code objects do the same on the same lines; columns don't count."""
    if (
        left.co_code != right.co_code
        or left.co_names != right.co_names
        or left.co_varnames != right.co_varnames
        or left.co_freevars != right.co_freevars
        or left.co_cellvars != right.co_cellvars
        or left.co_argcount != right.co_argcount
        or left.co_kwonlyargcount != right.co_kwonlyargcount
        or left.co_posonlyargcount != right.co_posonlyargcount
        or left.co_flags != right.co_flags
        or left.co_qualname != right.co_qualname
        or left.co_firstlineno != right.co_firstlineno
        or left.co_exceptiontable != right.co_exceptiontable
        or len(left.co_consts) != len(right.co_consts)
        or [p[0] for p in left.co_positions()] != [p[0] for p in right.co_positions()]
    ):
        return False
    return all(map(_same_constant, left.co_consts, right.co_consts))


def _same_constant(left: object, right: object) -> bool:
    if isinstance(left, CodeType) and isinstance(right, CodeType):
        return same_code(left, right)
    if isinstance(left, (tuple, frozenset)) or isinstance(right, (tuple, frozenset)):
        return type(left) is type(right) and left == right and repr(left) == repr(right)
    return type(left) is type(right) and repr(left) == repr(right)
