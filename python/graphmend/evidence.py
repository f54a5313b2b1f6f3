"""What a real trace showed: breaks that are left, and how often it made Dynamo trace again."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphmend import logs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmend.reports import Untouched
    from graphmend.sites import Site

_LOOP = "graph break in loop"
_log = logs.logger("traces")


@dataclass
class Break:
    """One place where Dynamo ended a graph, or gave a frame up."""

    path: str
    line: int
    function: str
    kind: str
    reason: str
    advice: str
    code: str
    skipped: bool = False
    """Whether the whole frame was given up."""
    count: int = 1
    gb: str = ""
    """Dynamo's identifier."""

    @property
    def place(self) -> str:
        """The file and line."""
        return f"{self.path}:{self.line}"


@dataclass
class Evidence:
    """What the traces of one compiled callable showed."""

    breaks: dict[tuple[str, int, str], Break] = field(default_factory=dict)
    traces: int = 0
    """Frames that were traced."""
    retraces: int = 0
    """Times that compiled code was dropped, since what it showed was mended."""
    found: int = 0
    """Functions that only a trace came upon, and that were mended then."""
    empty: dict[tuple[str, int], str] = field(default_factory=dict)
    """Functions in whose calls Dynamo found nothing to compute, by their places."""
    last: Break | None = None
    """The break that ends the graph which is being traced."""

    def note(self, seen: Break) -> None:
        """Enter a break; one that was seen before is counted, one without a place is no news."""
        self.last = seen
        if not seen.path:
            return
        _log.info("%s in %s: breaks: %s", seen.place, seen.function, seen.kind)
        key = seen.path, seen.line, seen.kind
        known = self.breaks.get(key)
        if known is None:
            self.breaks[key] = seen
        else:
            known.count += 1
            known.skipped |= seen.skipped

    def remaining(self) -> list[Break]:
        """The breaks in the order of their places; those that only follow another one left out."""
        places = {(b.path, b.line) for b in self.breaks.values() if b.kind != _LOOP}
        return sorted(
            (b for b in self.breaks.values() if b.kind != _LOOP or (b.path, b.line) not in places),
            key=lambda b: (b.path, b.line, b.kind),
        )


_IDENTIFIER = re.compile(r"/gb/gb(\d+)\.html")


def identifier(message: str) -> str:
    """Dynamo's identifier of a break, from its message; empty where there is none."""
    found = _IDENTIFIER.search(message)
    return f"GB{found[1]}" if found is not None else ""


def parts(message: str) -> tuple[str, str]:
    """The explanation and the hints in a message of Dynamo's."""
    explanation: list[str] = []
    hints: list[str] = []
    current: list[str] | None = None
    for raw in message.partition("\n\n***")[0].splitlines():
        line = raw.strip()
        if line.startswith("Explanation:"):
            current = explanation
            line = line.removeprefix("Explanation:").strip()
        elif line.startswith("Hint:"):
            current = hints
            line = line.removeprefix("Hint:").strip()
        elif line.startswith(("Developer debug context:", "For more details")) or not line:
            current = None
        if current is not None and line:
            current.append(line)
    text = " ".join(explanation) or message.strip().partition("\n")[0]
    return text, " ".join(hints)


def site_of(seen: Break, sites: Sequence[Site]) -> Site | None:
    """The site at which a break happened: the smallest that holds its line."""
    found = [
        site
        for site in sites
        if site.path == seen.path and site.line <= seen.line <= max(site.line, site.last_line)
    ]
    return min(found, key=lambda site: site.last_line - site.line, default=None)


def untouched(seen: Break, functions: Sequence[Untouched]) -> str:
    """Why the whole function in which a break happened is left as it is; empty if it is not."""
    for item in functions:
        if item.path == seen.path and item.function.rpartition(".")[2] == seen.function:
            return item.reason
    return "its source was not found" if seen.path.startswith("<") else ""


def explain(seen: Break, sites: Sequence[Site], functions: Sequence[Untouched]) -> list[str]:
    """A break in words: where it is, why it is left, and what to do about it.

    ``functions`` are those that were left alone as a whole.
    """
    what = f"{seen.kind}" + (" (the whole function is left to Python)" if seen.skipped else "")
    lines = [f"{seen.place} in {seen.function}: {seen.code or what}"]
    if seen.code:
        lines.append(f"    {what}")
    site = site_of(seen, sites)
    advice = seen.advice
    if site is not None:
        reasons = ([site.reason] if site.reason else []) + list(site.left)
        if reasons:
            lines.append(f"    not mended: {'; '.join(reasons)}")
        advice = site.advice or advice
    else:
        reason = untouched(seen, functions)
        if reason:
            lines.append(f"    not mended: {reason}")
        lines.append(f"    {seen.reason}")
    if advice:
        lines.append(f"    what to do: {advice}")
    return lines


def as_dict(seen: Break, sites: Sequence[Site], functions: Sequence[Untouched]) -> dict[str, Any]:
    """A break as the report's JSON holds it."""
    site = site_of(seen, sites)
    return {
        **vars(seen),
        "site": site.id if site is not None else None,
        "untouched": untouched(seen, functions) if site is None else "",
    }
