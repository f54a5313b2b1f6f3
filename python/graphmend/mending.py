"""Mends every function that a callable reaches: asks the core, checks, swaps the code in."""

from __future__ import annotations

import dis
import gc
import logging
import sys
import time
import weakref
from dataclasses import dataclass, field
from importlib import import_module
from importlib.machinery import SourceFileLoader
from types import CellType, CodeType, FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Protocol, cast

from graphmend import (
    cache,
    facts,
    freshness,
    hook,
    logs,
    reach,
    runtime,
    sites,
    source,
    swap,
    texts,
)
from graphmend.evidence import Evidence
from graphmend.reports import Untouched
from graphmend.sites import CoreSite

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmend.host import Read
    from graphmend.sites import Site


class MendedFunction(Protocol):
    """The core's answer for one function."""

    status: str
    message: str
    original_text: str
    original_lines: Sequence[tuple[int, int | None]]
    text: str
    lines: Sequence[tuple[int, int | None]]
    sites: Sequence[CoreSite]


class Core(Protocol):
    """The part of ``graphmend._core`` that mends."""

    def Source(self, source: bytes) -> Any:  # noqa: N802 - a class of the core
        """The text of a module, in UTF-8, for many questions."""

    def mend_function(
        self,
        source: Any,
        path: str,
        line: int,
        name: str,
        *,
        freevars: list[str],
        class_name: str | None,
        asserts: bool,
        facts: dict[str, str],
    ) -> MendedFunction:
        """Find and mend the sites of one function."""

    def impurity_of_function(
        self,
        source: Any,
        path: str,
        line: int,
        name: str,
        *,
        freevars: list[str],
        class_name: str | None,
        facts: dict[str, str],
    ) -> str:
        """Why a call of the function may do more than give a value; empty when it is pure."""


log = logging.getLogger("graphmend")
_told = logs.logger("mends")
_traced = logs.logger("traces")


@dataclass
class Mending:
    """What was done for one compiled callable."""

    sites: list[Site] = field(default_factory=list)
    untouched: list[Untouched] = field(default_factory=list)
    ms: float = 0.0
    functions: int = 0
    reads: dict[tuple[str, int], Read] = field(default_factory=dict)
    """What became of host reads, as traces come upon them."""
    evidence: Evidence = field(default_factory=Evidence)
    stale: bool = False
    """Whether compiled code is to be dropped after the call, for what its trace showed."""
    contradicted: str = ""
    """Why the trace that runs has to begin again."""
    unchecked: list[tuple[_Known, str]] = field(default_factory=list, repr=False)
    """Mended functions, with their modules, that were not compared with other ranks yet."""
    off: str = ""
    """Why nothing of this callable is mended any more; empty while it is."""
    made: dict[int, tuple[CodeType, CodeType]] = field(default_factory=dict, repr=False)
    """Code of functions that calls make, by identity: the original, and the mended one."""
    makers: weakref.WeakSet[FunctionType] = field(default_factory=weakref.WeakSet, repr=False)
    """The functions that make them."""
    _entries: dict[int, _Known] = field(default_factory=dict, repr=False)
    """What is known of each function, by its original code object."""
    _scopes: dict[int, tuple[dict[str, Any], list[CodeType]]] = field(
        default_factory=dict, repr=False
    )
    """The globals of those functions, with their code."""

    def __deepcopy__(self, _: object) -> Mending:
        return self

    def __reduce__(self) -> Any:
        return Mending, ()

    def enter(self, entry: _Known, scope: dict[str, Any]) -> bool:
        """Note what is known of a function; False when that was done before."""
        if id(entry.code) in self._entries:
            return False
        self._scopes.setdefault(id(scope), (scope, []))[1].append(entry.code)
        self._entries[id(entry.code)] = entry
        if entry.mended is not None:
            self.unchecked.append((entry, str(scope.get("__name__"))))
        self.functions += 1
        self.sites += entry.sites
        if entry.untouched is not None:
            self.untouched.append(entry.untouched)
        return True

    def uses(self, *mends: str) -> bool:
        """Whether a site is mended in one of these ways."""
        return any(site.status == "mended" and site.mend in mends for site in self.sites)

    def take_unchecked(self) -> list[tuple[str, bytes, bytes]]:
        """What is to be compared with other ranks: function, what decided, what was made of it."""
        taken, self.unchecked = self.unchecked, []
        return [
            (f"{module}.{entry.code.co_qualname}", entry.asked, cache.digest_of_work(entry.mended))
            for entry, module in taken
            if entry.mended is not None
        ]

    def scopes(self) -> list[tuple[dict[str, Any], frozenset[str]]]:
        """Globals of the functions, each with the names that they use."""
        return [
            (scope, frozenset().union(*(_names(code, None) for code in codes)) - {swap.NAME})
            for scope, codes in self._scopes.values()
        ]

    def files(self) -> set[str]:
        """The source files of the functions."""
        return {entry.code.co_filename for entry in self._entries.values()}

    def entry(self, code: CodeType) -> _Known | None:
        """What is known of the function that an original code object belongs to."""
        return self._entries.get(id(code))


@dataclass
class _Known:
    """What is known of one original code object."""

    code: CodeType
    sites: list[Site]
    mended: CodeType | None
    untouched: Untouched | None
    asked: bytes = b""
    """A name for what the core was told, the same in every process."""


_known: dict[int, _Known] = {}
_made: weakref.WeakKeyDictionary[Any, Mending] = weakref.WeakKeyDictionary()
_all_ms = 0.0
core: Core | None = None
"""The core; another one can be set for tests."""
_native: Core | None = None
"""The native core, once it is imported: what it says may be kept."""


def the_core() -> Core:
    """The native core."""
    global core, _native
    if core is None:
        core = _native = import_module("graphmend._core")
    assert core is not None
    return core


def mend(root: Any) -> Mending:
    """Mend everything that calling ``root`` may reach."""
    global _all_ms
    start = time.perf_counter()
    collecting = gc.isenabled()
    gc.disable()  # syntax trees are many objects, and none of them is garbage yet
    result = Mending()
    try:
        _mend(root, result)
    except Exception as problem:  # our defect: the program goes on as it was written
        log.warning("internal problem: %s: %s", type(problem).__name__, problem, exc_info=True)
        reason = f"internal problem: {type(problem).__name__}: {problem}"
        result.untouched.append(Untouched("", 0, type(root).__qualname__, reason))
    finally:
        if collecting:
            gc.enable()
        store = cache.store()
        if store is not None:
            store.flush()
    result.ms = (time.perf_counter() - start) * 1000
    _all_ms += result.ms
    return result


def _mend(root: Any, result: Mending) -> None:
    groups: dict[int, tuple[CodeType, list[FunctionType]]] = {}
    owners = facts.owners_of(root)
    for function in reach.reached(root):
        if not hook.may_mend(function.__globals__.get("__name__")):
            continue
        code = swap.original(function.__code__)
        groups.setdefault(id(code), (code, []))[1].append(function)
    changed = False
    for code, functions in groups.values():
        entry = _entry(code, functions[0], owners.get(id(code), []))
        result.enter(entry, functions[0].__globals__)
        if entry.mended is not None:
            fresh = [f for f in functions if f.__code__ is not entry.mended]
            if fresh:
                swap.put(fresh, code, entry.mended)
                changed = True
    if changed:
        swap.reset()
    _note_names(result, [code for code, _ in groups.values()])


def on_demand(function: FunctionType, result: Mending, owners: list[object]) -> None:
    """Mend a function that a trace is about to enter and that the walk before it did not reach."""
    code = swap.original(function.__code__)
    entry = _evident(code, function, result, owners)
    if entry is not None and entry.mended is not None and function.__code__ is not entry.mended:
        swap.put([function], code, entry.mended)


def mended_code(code: CodeType, scope: dict[str, Any], result: Mending) -> CodeType | None:
    """The mended code of a function that the trace makes, and whose module is ``scope``."""
    if code.co_name.startswith("__gm_"):  # mended code makes it
        return None
    stand_in = FunctionType(code, scope, closure=tuple(CellType() for _ in code.co_freevars))
    entry = _evident(code, stand_in, result, [])
    if entry is None or entry.mended is None:
        return None
    if id(code) not in result.made:
        makers = swap.makers(code, result.made)
        if not makers:
            return None  # a call that is undone could not run it again without its first effects
        result.made[id(code)] = code, entry.mended
        result.makers.update(makers)
    swap.admit(scope)
    return entry.mended


def root_frame(code: CodeType, result: Mending) -> bool:
    """Mend a function that runs by itself; True when its next call finds other code."""
    if swap.original(code) is not code or result.entry(code) is not None or not _may_mend(code):
        return False
    functions = [f for f in gc.get_referrers(code) if type(f) is FunctionType]
    functions = [f for f in functions if f.__code__ is code]
    if not functions:
        return False
    for function in functions:
        on_demand(function, result, [])
    return functions[0].__code__ is not code


def _may_mend(code: CodeType) -> bool:
    return not (
        swap.is_disabled() or code.co_name.startswith("<") or reach.is_foreign(code.co_filename)
    )


def _evident(
    code: CodeType, function: FunctionType, result: Mending, owners: list[object]
) -> _Known | None:
    """What is known of a function that a trace came upon."""
    entry = result.entry(code)
    if entry is not None:
        return entry
    if not _may_mend(code) or not hook.may_mend(function.__globals__.get("__name__")):
        return None
    global _all_ms
    start = time.perf_counter()
    entry = _entry(code, function, owners)
    result.enter(entry, function.__globals__)
    if entry.mended is not None:
        result.evidence.found += 1
        _traced.info("%s was mended when a trace came to it", code.co_qualname)
    _note_name_of_found(result, code)
    spent = (time.perf_counter() - start) * 1000
    result.ms += spent
    _all_ms += spent
    return entry


def _note_name_of_found(result: Mending, code: CodeType) -> None:
    """Let updates know of a function that was not known when they were made."""
    names: set[str] | None = None
    for site in result.sites:
        if site.mend != "update" or (code.co_filename, code.co_qualname) == (
            site.path,
            site.function,
        ):
            continue
        names = _names(code, None) if names is None else names
        site.elsewhere |= names
        wrong = site.assumed & names
        if wrong:
            site.refused = f"attribute {min(wrong)} is used by {code.co_qualname}"
            result.contradicted = site.refused


def _entry(code: CodeType, function: FunctionType, owners: list[object]) -> _Known:
    """What is known of a function; it is asked about once."""
    entry = _known.get(id(code))
    if entry is None:
        entry = _known[id(code)] = _examine(code, function, owners)
    return entry


def _examine(code: CodeType, function: FunctionType, owners: list[object]) -> _Known:
    """Ask the core about one function, and compile what it says."""
    start = time.perf_counter()
    if code.co_name == "<lambda>":
        return _left(code, "a lambda is not mended itself; what it calls is")
    try:
        found, mended, asked = _ask(code, function, owners, start)
    except source.Uncompilable as problem:
        return _left(code, str(problem))
    except Exception as problem:
        return _left(code, f"internal problem: {type(problem).__name__}: {problem}")
    if _told.isEnabledFor(logging.INFO):
        _tell(code, function, found, mended)
    return _Known(code, found, mended, None, asked)


def _tell(
    code: CodeType, function: FunctionType, found: list[Site], mended: CodeType | None
) -> None:
    for site in found:
        what = site.mend if site.status == "mended" else f"declined: {site.reason}"
        _told.info("%s:%d: %s in %s: %s", site.path, site.line, site.kind, site.function, what)
    if mended is not None and _told.isEnabledFor(logging.DEBUG):
        _told.debug("%s: mended text\n%s", code.co_qualname, ask(code, function).text)


def _left(code: CodeType, reason: str) -> _Known:
    where = Untouched(code.co_filename, code.co_firstlineno, code.co_qualname, reason)
    _told.info("%s:%d: %s is left as it is: %s", where.path, where.line, where.function, reason)
    return _Known(code, [], None, where)


def impurity(function: FunctionType) -> str:
    """Why a call of a Python function may do more than give a value; empty when it is pure."""
    code = swap.original(function.__code__)
    text = texts.read(code.co_filename, function.__globals__)
    if text is None:
        return "its source was not found"
    return the_core().impurity_of_function(
        text.source(the_core()),
        code.co_filename,
        code.co_firstlineno,
        code.co_name,
        freevars=list(code.co_freevars),
        class_name=_class_name(code),
        facts=facts.of(function, code),
    )


def _class_name(code: CodeType) -> str | None:
    """The class whose body holds a function, for private names."""
    parent = code.co_qualname.rpartition(".")[0].rpartition(".")[2]
    return None if parent in ("", "<locals>") else parent


def _ask(
    code: CodeType, function: FunctionType, owners: list[object], start: float
) -> tuple[list[Site], CodeType | None, bytes]:
    text = texts.read(code.co_filename, function.__globals__)
    if text is None:
        raise source.Uncompilable("its source was not found")
    known = facts.of(function, code, owners)
    key = _key(code, known, code.co_filename)
    store = cache.store() if the_core() is _native else None
    record = store.find(text.digest, key) if store is not None else None
    if record is not None and record.mended is not None and not _made_from(record, code):
        record = None
    if record is None:
        record = _answer(text, code, function, known)
        if store is not None:
            store.put(text.digest, key, record)
    if record.mended is not None and function.__globals__.get(swap.NAME, runtime) is not runtime:
        raise source.Uncompilable(f"its module uses the reserved name {swap.NAME}")
    spent = (time.perf_counter() - start) * 1000
    share = spent / max(1, len(record.sites))
    found = [
        sites.register(
            cast("CoreSite", SimpleNamespace(**site)), code.co_filename, code.co_qualname, share
        )
        for site in record.sites
    ]
    return found, record.mended, _key(code, known, "")


def _key(code: CodeType, known: dict[str, str], path: str) -> bytes:
    """A name for all that the core is asked with, but for the text of the file."""
    asked = (
        path,
        code.co_firstlineno,
        code.co_qualname,
        code.co_freevars,
        code.co_flags,
        sys.flags.optimize,
        sorted(known.items()),
    )
    return cache.digest(repr(asked).encode())


def _made_from(record: cache.Record, code: CodeType) -> bool:
    """Whether a mend that was kept was made from the code that runs."""
    return record.original == cache.digest_of_code(code)


def _mend_function(text: texts.Text, code: CodeType, known: dict[str, str]) -> MendedFunction:
    """Ask the core; :class:`source.Uncompilable` when it does not find the function."""
    answer = the_core().mend_function(
        text.source(the_core()),
        code.co_filename,
        code.co_firstlineno,
        code.co_name,
        freevars=list(code.co_freevars),
        class_name=_class_name(code),
        asserts=not sys.flags.optimize,
        facts=known,
    )
    if answer.status in ("missing", "error"):
        raise source.Uncompilable(answer.message or f"its source is {answer.status}")
    return answer


def ask(code: CodeType, function: FunctionType) -> MendedFunction:
    """What the core says of a function; :class:`source.Uncompilable` when there is no source."""
    text = texts.read(code.co_filename, function.__globals__)
    if text is None:
        raise source.Uncompilable("its source was not found")
    return _mend_function(text, code, facts.of(function, code))


def _answer(
    text: texts.Text, code: CodeType, function: FunctionType, known: dict[str, str]
) -> cache.Record:
    """What the core says, with the mended code."""
    answer = _mend_function(text, code, known)
    mended: CodeType | None = None
    if answer.status == "mended":
        if not _plainly_loaded(function, code) and not source.same_code(
            _compile(answer.original_text, answer.original_lines, code), code
        ):
            raise source.Uncompilable("its source changed since it was imported")
        mended = _compile(answer.text, answer.lines, code)
        if mended.co_freevars != code.co_freevars:
            raise source.Uncompilable("the mended function has other free variables")
    found = tuple(
        {name: _plain(getattr(site, name)) for name in CoreSite.__annotations__}
        for site in answer.sites
    )
    digest = cache.digest_of_code(code) if mended is not None else b""
    return cache.Record(answer.status, answer.message, found, mended, digest)


def _plain(value: Any) -> Any:
    return tuple(map(_plain, value)) if isinstance(value, (list, tuple)) else value


def _plainly_loaded(function: FunctionType, code: CodeType) -> bool:
    """Whether the file's bytecode shows that the running code came from its present source."""
    loader = function.__globals__.get("__loader__")
    return type(loader) is SourceFileLoader and freshness.unchanged(code.co_filename)


def _compile(text: str, lines: Sequence[tuple[int, int | None]], code: CodeType) -> CodeType:
    return source.compile_text(
        text,
        lines,
        code.co_filename,
        name=code.co_name,
        qualname=code.co_qualname,
        flags=code.co_flags,
        freevars=code.co_freevars,
        firstlineno=code.co_firstlineno,
        imported=source.imported_names(code),
    )


def _note_names(result: Mending, codes: Iterable[CodeType]) -> None:
    """For update sites: the names that other reached code uses."""
    updates = [site for site in result.sites if site.mend == "update"]
    if not updates:
        return
    everywhere = list(codes)
    for site in updates:
        for code in everywhere:
            own = code.co_filename == site.path and code.co_qualname == site.function
            site.elsewhere |= _names(code, (site.line, site.last_line) if own else None)


def _names(code: CodeType, without: tuple[int, int] | None) -> set[str]:
    """Names and strings of a code object, those of some lines left out."""
    if without is None:
        found = set(code.co_names)
        for constant in code.co_consts:
            if isinstance(constant, str):
                found.add(constant)
            elif isinstance(constant, CodeType):
                found |= _names(constant, None)
        return found
    found = set()
    for instruction in dis.get_instructions(code):
        positions = instruction.positions
        line = positions.lineno if positions is not None else None
        if line is None or not without[0] <= line <= without[1]:
            value = instruction.argval
            if isinstance(value, str):
                found.add(value)
            elif isinstance(value, CodeType):
                found |= _names(value, None)
    return found


def remember(compiled: Any, result: Mending) -> None:
    """Keep what was done for a compiled callable, for the report."""
    _made[compiled] = result


def of(compiled: Any) -> Mending | None:
    """What was done for a compiled callable."""
    try:
        return _made.get(compiled)
    except TypeError:
        return None


def untouched() -> list[Untouched]:
    """Every function that was left alone as a whole."""
    return [entry.untouched for entry in _known.values() if entry.untouched is not None]


def total_ms() -> float:
    """The time that mending took in this process."""
    return _all_ms


def forget() -> None:
    """Forget what is known of every function, so that it is asked about again."""
    _known.clear()
    texts.forget()
