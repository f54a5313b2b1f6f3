"""Whether a source file is still the one that the running code was compiled from.

Cheap evidence is the bytecode file next to it: its header names the size and time of the source it
was made from. It counts when it is older than this process, as the running code then came from it.
Without that evidence the caller compiles the original's text and compares.
"""

from __future__ import annotations

import importlib.util
import os
import struct

_known: dict[str, tuple[int, bool]] = {}
_started: float | None = None


def unchanged(path: str) -> bool:
    """Whether the bytecode of ``path`` shows that its source did not change since the import."""
    try:
        source = os.stat(path)
    except OSError:
        return False
    known = _known.get(path)
    if known is None or known[0] != source.st_mtime_ns:
        known = _known[path] = (source.st_mtime_ns, _matches(path, source))
    return known[1]


def _matches(path: str, source: os.stat_result) -> bool:
    try:
        cached = importlib.util.cache_from_source(path)
        status = os.stat(cached)
        made = max(status.st_mtime, status.st_ctime)  # the one can be set, and clocks differ
        with open(cached, "rb") as file:
            header = file.read(16)
    except (OSError, NotImplementedError, ValueError):
        return False
    if len(header) < 16 or header[:4] != importlib.util.MAGIC_NUMBER:
        return False
    flags, time, size = struct.unpack("<III", header[4:])
    fits = flags == 0 and time == int(source.st_mtime) & 0xFFFFFFFF
    return bool(fits and size == source.st_size & 0xFFFFFFFF and made < process_start())


def process_start() -> float:
    """When this process began, in seconds since the epoch; 0 where that is not known."""
    global _started
    if _started is None:
        try:
            with open("/proc/self/stat", "rb") as file:
                ticks = int(file.read().rpartition(b")")[2].split()[19])
            with open("/proc/stat", "rb") as file:
                booted = next(int(line.split()[1]) for line in file if line.startswith(b"btime "))
            _started = booted + ticks / os.sysconf("SC_CLK_TCK")
        except (OSError, ValueError, IndexError, StopIteration):
            _started = 0.0
    return _started
