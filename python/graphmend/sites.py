"""The table of mended sites, and what happened to each.

A site is known by its id: sixteen hexadecimal digits made from the site's content by the core. The
run time keeps one entry a site for the life of the process; entries of sites whose code was put
back stay, so that a compiled graph that is still alive finds its statement.
"""

from __future__ import annotations

import ast
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from graphmend import logs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType

_log = logs.logger("traces")


@runtime_checkable
class CoreSite(Protocol):
    """What the core says about one site of a function."""

    id: str
    kind: str
    gb: str
    mend: str
    status: str
    reason: str
    advice: str
    line: int
    column: int
    end_line: int
    end_column: int
    last_line: int
    certainty: str
    calls: Sequence[str]
    outline_text: str
    outline_lines: Sequence[tuple[int, int | None]]
    params: Sequence[str]


@dataclass
class Site:
    """One site, as the run time and the report see it."""

    id: str
    path: str
    function: str
    line: int
    kind: str
    mend: str
    status: str
    reason: str = ""
    advice: str = ""
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    last_line: int = 0
    """The last line of the whole statement."""
    certainty: str = "certain"
    calls: Sequence[str] = ()
    """Chains that the outlined statement calls and that must be pure functions."""
    gb: str = ""
    mend_ms: float = 0.0
    outline_text: str = ""
    outline_lines: Sequence[tuple[int, int | None]] = ()
    params: Sequence[str] = ()
    left: dict[str, int] = field(default_factory=dict)
    """Reasons for which the mended form was not used while tracing, with their number."""
    refused: str = ""
    """Why every trace must keep the original statement: what came after it made it illegal."""
    refused_with_gradients: str = ""
    """The same, for traces that record gradients."""
    unfit: str = ""
    """Why the arms of a select are not tried again."""
    used: int = 0
    """How often a trace used the mended form."""
    elsewhere: set[str] = field(default_factory=set, repr=False)
    """Names that reached code outside of the site uses; known for updates."""
    assumed: set[str] = field(default_factory=set, repr=False)
    """Names that a trace took for not used elsewhere."""
    code: CodeType | None = field(default=None, repr=False)
    """The outlined statement, compiled, once it is needed."""

    def leave(self, reason: str) -> None:
        """Note that a trace kept the original statement, and why."""
        self.left[reason] = self.left.get(reason, 0) + 1
        _log.info("%s:%d: %s is left in this trace: %s", self.path, self.line, self.mend, reason)

    def named_elsewhere(self, name: str) -> bool:
        """Whether reached code outside of the site uses a name."""
        return name in self.elsewhere

    @property
    def profiled(self) -> str:
        """How profiles show it."""
        return in_profiles(self.kind, self.path, self.line)

    @property
    def outcome(self) -> str:
        """``mended``, ``declined``, or ``left at trace time``."""
        if self.status != "mended":
            return "declined"
        reasons = bool(self.left or self.refused_with_gradients)
        left = self.refused or (reasons and not self.used)
        return "left at trace time" if left else "mended"

    def fires_when(self) -> bool | None:
        """For a guard ``if p: raise`` the value of ``p`` that raises; None if that is not plain."""
        body = ast.parse(self.outline_text).body[0]
        if not isinstance(body, ast.FunctionDef) or len(body.body) != 1:
            return None
        statement = body.body[0]
        if not isinstance(statement, (ast.If, ast.Assert)):
            return None
        test, value = statement.test, isinstance(statement, ast.If)
        if isinstance(statement, ast.If) and (
            statement.orelse or not isinstance(statement.body[-1], ast.Raise)
        ):
            return None
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, value = test.operand, not value
        named = isinstance(test, ast.Name) and test.id == body.args.args[0].arg
        return value if named else None


def in_profiles(kind: str, path: str, line: int) -> str:
    """How profiles show a mended place."""
    return f"graphmend {kind} {path}:{line}"


_table: dict[str, Site] = {}
_lock = threading.Lock()


def register(core: CoreSite, path: str, function: str, mend_ms: float = 0.0) -> Site:
    """Enter a site that the core found, or return the entry it already has."""
    with _lock:
        known = _table.get(core.id)
        if known is not None and known.status == core.status:
            return known
        site = Site(
            id=core.id,
            path=path,
            function=function,
            line=core.line,
            column=core.column,
            end_line=core.end_line,
            end_column=core.end_column,
            last_line=core.last_line,
            certainty=core.certainty,
            calls=tuple(core.calls),
            kind=core.kind,
            mend=core.mend,
            status=core.status,
            reason=core.reason,
            advice=core.advice,
            gb=core.gb,
            mend_ms=mend_ms,
            outline_text=core.outline_text,
            outline_lines=tuple(core.outline_lines),
            params=tuple(core.params),
        )
        _table[core.id] = site
        return site


def find(site_id: str) -> Site | None:
    """The entry of a site, or None."""
    return _table.get(site_id)


def all_sites() -> list[Site]:
    """Every site entered so far, in the order of entering."""
    return list(_table.values())
