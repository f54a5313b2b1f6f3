"""What the core said of functions, and their mended code, kept on disk from process to process.

One file holds what is known of one source text. Its name is made from the text; its folder from
all else that an answer depends on: interpreter, torch, and this build of graphmend. A file is
written beside and renamed, begins with a digest of what follows, and is dropped when that does not
fit. Whatever goes wrong here costs time only. Nothing here imports torch.
"""

from __future__ import annotations

import atexit
import contextlib
import hashlib
import importlib.util
import marshal
import os
import shutil
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmend import logs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

log = logs.logger("cache")
VARIABLE = "GRAPHMEND_CACHE"
_MAGIC = b"graphmend cache 1\n"
_DIGEST = 16
_SUFFIX = ".mended"
_TEMPORARY = ".part"
_OLD = 3600.0
_BUILD = ("_core", "mending", "source", "positions")
"""The modules that decide what a mended function looks like."""


def root() -> Path:
    """The folder of the cache."""
    given = os.environ.get(VARIABLE)
    return Path(given) if given else Path.home() / ".cache" / "graphmend"


def enabled() -> bool:
    """Whether anything is kept: ``GRAPHMEND_CACHE`` is not set to nothing."""
    return os.environ.get(VARIABLE) != ""


@dataclass(frozen=True)
class Record:
    """What is kept of one function."""

    status: str
    message: str
    sites: tuple[dict[str, Any], ...]
    mended: CodeType | None
    original: bytes
    """The digest of the code that it is the mend of."""

    def data(self) -> tuple[Any, ...]:
        """As it is written."""
        return (self.status, self.message, self.sites, self.mended, self.original)


def digest(data: bytes) -> bytes:
    """A short name for some content."""
    return hashlib.blake2b(data, digest_size=_DIGEST).digest()


def digest_of_code(code: CodeType) -> bytes:
    """A name for what a code object does and where it says it is."""
    return digest(marshal.dumps(code, 2))


def digest_of_work(code: CodeType) -> bytes:
    """A name for what a code object does, wherever its file is."""
    return digest(repr(_work(code)).encode())


def _work(code: CodeType) -> tuple[Any, ...]:
    constants = tuple(
        _work(item)
        if isinstance(item, type(code))
        else sorted(map(repr, item))
        if isinstance(item, frozenset)
        else item
        for item in code.co_consts
    )
    return (code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants)


class Store:
    """The files of one build of graphmend under one interpreter and torch."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._texts: dict[bytes, dict[bytes, Any]] = {}
        self._fresh: set[bytes] = set()
        self._lock = threading.Lock()
        self.hits = 0
        self.misses = 0

    def find(self, text: bytes, key: bytes) -> Record | None:
        """What is kept of a function: by the digest of its file's text, and of all else."""
        with self._lock:
            known = self._texts.get(text)
            if known is None:
                known = self._texts[text] = self._read(self._path(text))
            found = known.get(key)
        log.debug("%s: %s", self._path(text), "not found" if found is None else "found")
        if found is None:
            self.misses += 1
            return None
        self.hits += 1
        return Record(*found)

    def put(self, text: bytes, key: bytes, record: Record) -> None:
        """Keep a record; :meth:`flush` writes it."""
        with self._lock:
            self._texts.setdefault(text, {})[key] = record.data()
            self._fresh.add(text)

    def flush(self) -> None:
        """Write what is new; never raises."""
        with self._lock:
            fresh = {text: dict(self._texts[text]) for text in self._fresh}
            self._fresh.clear()
        for text, records in fresh.items():
            path = self._path(text)
            try:  # what other processes wrote meanwhile stays
                self._write(path, {**self._read(path), **records})
            except (OSError, ValueError) as problem:
                log.info("%s was not written: %s", path, problem)

    def _path(self, text: bytes) -> Path:
        name = text.hex()
        return self.folder / name[:2] / (name[2:] + _SUFFIX)

    def _read(self, path: Path) -> dict[bytes, Any]:
        try:
            with open(path, "rb") as file:
                if os.fstat(file.fileno()).st_uid not in (os.getuid(), 0):
                    return {}  # code of somebody else is not run
                data = file.read()
        except OSError:
            return {}
        head = len(_MAGIC) + _DIGEST
        body = data[head:]
        if data[: len(_MAGIC)] == _MAGIC and data[len(_MAGIC) : head] == digest(body):
            try:
                found: dict[bytes, Any] = marshal.loads(body)
                return found
            except (ValueError, EOFError, TypeError):
                pass
        log.warning("%s is damaged, and is made anew", path)
        with contextlib.suppress(OSError):
            path.unlink()
        return {}

    def _write(self, path: Path, records: dict[bytes, Any]) -> None:
        body = marshal.dumps(records)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(_TEMPORARY, "", path.parent)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(_MAGIC + digest(body) + body)
            os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


def build() -> str:
    """A name for this interpreter, torch and build of graphmend."""
    parts: list[Any] = [sys.implementation.cache_tag, importlib.util.MAGIC_NUMBER]
    torch = sys.modules.get("torch")
    parts.append(str(getattr(torch, "__version__", "")))
    here = os.path.dirname(__file__)
    for name in sorted(os.listdir(here)):
        if name.partition(".")[0] in _BUILD and not name.endswith(".pyi"):
            status = os.stat(os.path.join(here, name))
            parts += [name, status.st_size, status.st_mtime_ns]
    return digest(repr(parts).encode()).hex()


def findings() -> Path | None:
    """The folder in which the core keeps what a check found; None when nothing is kept."""
    try:
        return root() / "check" / build() if enabled() else None
    except (OSError, RuntimeError) as problem:
        log.info("nothing is kept: %s", problem)
        return None


_store: tuple[tuple[str | None, bool], Store | None] | None = None


def store() -> Store | None:
    """The store of this process; None when nothing is kept."""
    global _store
    chosen = os.environ.get(VARIABLE), enabled()
    if _store is None or _store[0] != chosen:
        made = None
        if enabled():
            try:
                made = Store(root() / "mended" / build())
                atexit.register(made.flush)
            except (OSError, RuntimeError) as problem:
                log.info("nothing is kept: %s", problem)
        _store = chosen, made
    return _store[1]


def forget() -> None:
    """Read everything from disk again."""
    global _store
    _store = None


USAGE = "usage: graphmend cache info|clear"


def main(arguments: Sequence[str]) -> int:
    """The command."""
    if list(arguments) in (["-h"], ["--help"]):
        print(USAGE)
        return 0
    if list(arguments) == ["info"]:
        return _info()
    if list(arguments) == ["clear"]:
        places = [root() / "mended", root() / "check"]

        def files() -> int:
            kept = (f"*/*/*{_SUFFIX}", "*/*/*.findings", "*/*.declared")
            return sum(len(list(place.glob(one))) for place in places for one in kept)

        count = files()
        for place in places:
            shutil.rmtree(place, ignore_errors=True)
        left = files()
        print(f"{count - left} files removed from {root()}")
        if left:
            print(f"{left} files can't be removed", file=sys.stderr)
        return 1 if left else 0
    print(USAGE, file=sys.stderr)
    return 2


def _info() -> int:
    place = root() / "mended"
    print(f"folder: {place}")
    builds = sorted(place.glob("*"))
    for folder in builds:
        files = list(folder.glob(f"*/*{_SUFFIX}"))
        sizes = [path.stat().st_size for path in files]
        print(f"{folder.name}: {len(files)} source files, {sum(sizes)} bytes")
    checks = sorted((root() / "check").glob("*"))
    for folder in checks:
        sizes = [path.stat().st_size for path in folder.glob("*/*.findings")]
        print(f"{folder.name}: findings of {len(sizes)} groups of files, {sum(sizes)} bytes")
    stale = 0
    for path in [*place.glob(f"*/*/*{_TEMPORARY}"), *(root() / "check").glob(f"*/*/*{_TEMPORARY}")]:
        try:  # left by a process that was killed
            if time.time() - path.stat().st_mtime > _OLD:
                path.unlink()
                stale += 1
        except OSError:
            continue
    if stale:
        print(f"{stale} unfinished files removed")
    if not builds and not checks:
        print("empty")
    return 0
