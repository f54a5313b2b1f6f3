"""The position table of a code object, moved to other lines.

The table says for each instruction which part of the source it comes from (PEP 657). It is read
through ``co_positions`` and written anew, in the two long forms that every position fits.
"""

from __future__ import annotations

from itertools import groupby
from types import CodeType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_COLUMNS, _LONG, _NOTHING = 13, 14, 15
_MOST = 8
"""Code units that one entry can cover."""


def moved(code: CodeType, lines: Sequence[tuple[int, int | None]], skip: int) -> CodeType:
    """``code``, and the code in it, with its positions mapped.

    Line ``skip + n`` becomes the original line ``lines[n - 1][0]``, its columns move by
    ``lines[n - 1][1]``; None there means that there are no columns.
    """
    padded = [lines[0]] * (skip + 1) + list(lines)
    last = len(padded) - 1
    first = current = padded[min(code.co_firstlineno, last)][0]
    table = bytearray()
    for position, group in groupby(code.co_positions()):
        count = len(list(group))
        line, end, column, end_column = position
        if line is None:
            form, same = _NOTHING, b""
            table.append(0x80 | form << 3 | min(count, _MOST) - 1)
        else:
            start, shift = padded[line if line < last else last]
            final, end_shift = padded[end if end is not None and end < last else last]
            step = start - current
            current = start
            delta = _varint(-step << 1 | 1 if step < 0 else step << 1)
            if shift is None or end_shift is None or column is None or final < start:
                form, same = _NO_COLUMNS, b""
            else:
                if end_column:  # the position of a function's entry has no columns to move
                    column = max(0, column + shift)
                    end_column = max(0, end_column + end_shift)
                form = _LONG
                same = _varint(final - start) + _varint(column + 1) + _varint((end_column or 0) + 1)
            table.append(0x80 | form << 3 | min(count, _MOST) - 1)
            table += delta
            table += same
        count -= _MOST
        while count > 0:  # the line is counted from the entry before
            table.append(0x80 | form << 3 | min(count, _MOST) - 1)
            if form != _NOTHING:
                table.append(0)
                table += same
            count -= _MOST
    constants = tuple(
        moved(item, lines, skip) if isinstance(item, CodeType) else item for item in code.co_consts
    )
    return code.replace(co_linetable=bytes(table), co_firstlineno=first, co_consts=constants)


def _encode(value: int) -> bytes:
    parts = []
    while value >= 64:
        parts.append(value & 63 | 64)
        value >>= 6
    parts.append(value)
    return bytes(parts)


_VARINT = [_encode(value) for value in range(2048)]


def _varint(value: int) -> bytes:
    return _VARINT[value] if value < 2048 else _encode(value)
