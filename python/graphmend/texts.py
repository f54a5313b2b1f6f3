"""The texts of source files, read once, as the core takes them."""

from __future__ import annotations

import functools
import io
import linecache
import os
import tokenize
from typing import Any

from graphmend import cache

_files: dict[str, tuple[tuple[int, int], Text]] = {}
"""Texts by path, with the stamp of the file that they were read from."""


class Text:
    """The text of a file, and what the core makes of it once it is asked."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._made: tuple[Any, Any] | None = None

    @functools.cached_property
    def digest(self) -> bytes:
        """A name for the text."""
        return cache.digest(self.data)

    def source(self, core: Any) -> Any:
        """The core's source."""
        if self._made is None or self._made[0] is not core:
            self._made = core, core.Source(self.data)
        return self._made[1]


def read(path: str, scope: dict[str, Any]) -> Text | None:
    """The text of a file, of a file in an archive, or of a notebook's cell; None if there is none.

    ``scope`` are the globals of its module, whose loader may know the text.
    """
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        linecache.lazycache(path, scope)
        lines = linecache.getlines(path)
        return Text("".join(lines).encode()) if lines else None
    stamp = (status.st_mtime_ns, status.st_size)
    known = _files.get(path)
    if known is None or known[0] != stamp:
        try:
            with open(path, "rb") as file:
                known = _files[path] = (stamp, Text(_utf8(file.read())))
        except (OSError, SyntaxError, UnicodeError):
            return None
    return known[1]


def _utf8(data: bytes) -> bytes:
    """A source in UTF-8, whatever its coding cookie says."""
    if not any(b"coding" in line for line in data.split(b"\n", 2)[:2]):
        return data
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data if encoding.startswith("utf-8") else data.decode(encoding).encode()


def forget() -> None:
    """Read every file again."""
    _files.clear()
