"""What ``graphmend explain`` tells: every break once, what it costs, and what became of it.

An explanation is made of what was watched in a run without mending and in one with it, both as
JSON holds it, since they may come from other processes.
"""

from __future__ import annotations

import functools
import json
import linecache
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graphmend.watching import Watch

Seen = dict[str, Any]
"""One callable as it was watched, with its report."""
FORMAT = 1


def seen(watch: Watch, process: str = "") -> Seen:
    """A watched callable for an explanation."""
    from graphmend.reports import of_mending

    report = json.loads(of_mending(watch.result).to_json())
    return {**watch.as_dict(), "process": process, "report": report}


@dataclass
class Told:
    """One break in words."""

    path: str
    line: int
    function: str
    code: str
    kind: str
    what: str
    status: str
    mend: str = ""
    reason: str = ""
    advice: str = ""
    graphs: list[str] = field(default_factory=list)
    """The graphs around it, before mending."""
    lost_ms: float | None = None
    share: float | None = None
    """Its part of a call's time."""
    count: int = 1

    @property
    def place(self) -> str:
        """The file and line."""
        return f"{self.path}:{self.line}"


@dataclass
class Callable:
    """One compiled callable, before mending and after it."""

    name: str
    path: str
    line: int
    process: str
    before: Seen | None
    after: Seen
    breaks: list[Told]

    @property
    def nothing(self) -> str:
        """Why nothing was compiled; empty where something was."""
        if self.after["graphs"]:
            return ""
        if not self.after["calls"]:
            return "it was never called"
        if self.after["report"]["breaks"]:
            return "Dynamo gave every frame up"
        return "its calls compute nothing that a graph could hold"


@dataclass
class Explanation:
    """The breaks of a run."""

    callables: list[Callable]

    @property
    def breaks(self) -> list[Told]:
        """All breaks."""
        return [item for one in self.callables for item in one.breaks]

    def to_json(self) -> str:
        """All of it as one JSON object."""
        return json.dumps(
            {
                "format": FORMAT,
                "callables": [
                    {
                        "callable": one.name,
                        "path": one.path,
                        "line": one.line,
                        "process": one.process,
                        "nothing_compiled": one.nothing,
                        "breaks": [vars(item) for item in one.breaks],
                        "recompiles": one.after["recompiles"],
                        "before": one.before,
                        "after": one.after,
                    }
                    for one in self.callables
                ],
            },
            indent=1,
        )

    def to_html(self, path: str | Path | None = None) -> str:
        """One page with everything in it; also written to ``path``."""
        from graphmend import pages

        page = pages.page(self)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def __str__(self) -> str:
        if not self.callables:
            return "graphmend: NOTHING WAS COMPILED HERE: torch.compile was not called"
        return "\n\n".join(map(_text, self.callables))


def combine(before: Sequence[Seen], after: Sequence[Seen]) -> Explanation:
    """An explanation of what was watched without mending and with it; the first may be empty."""
    left = list(before)
    found = []
    for item in after:
        names = item["process"], item["callable"], item["path"], item["line"]
        match = next(
            (b for b in left if (b["process"], b["callable"], b["path"], b["line"]) == names), None
        )
        if match is not None:
            left.remove(match)
        found.append(
            Callable(
                item["callable"],
                item["path"],
                item["line"],
                item["process"],
                match,
                item,
                _breaks(match, item),
            )
        )
    return Explanation(found)


def _breaks(before: Seen | None, after: Seen) -> list[Told]:
    """Every break once: those that a run met, and those that were mended before it could."""
    remaining = {(b["path"], b["line"]): b for b in after["report"]["breaks"]}
    met = {(b["path"], b["line"]): b for b in (before["report"]["breaks"] if before else ())}
    sites = [site for site in after["report"]["sites"] if _shown(site)]
    told = []
    for place, item in sorted({**met, **remaining}.items()):
        site = _site_at(place, sites)
        if site is not None:
            sites.remove(site)
        source = before if before is not None and place in met else after
        told.append(_told(item, site, place in remaining, source))
    told += [_of_site(site) for site in sites if site["status"] == "mended" and site["used"]]
    return sorted(told, key=lambda item: (item.path, item.line))


def _shown(site: dict[str, Any]) -> bool:
    return bool(site["certainty"] != "possible" or site["used"] or site["status"] != "mended")


def _site_at(place: tuple[str, int], sites: list[dict[str, Any]]) -> dict[str, Any] | None:
    path, line = place
    around = [s for s in sites if s["path"] == path and s["line"] <= line <= s["last_line"]]
    return min(around, key=lambda s: s["last_line"] - s["line"], default=None)


def _told(item: dict[str, Any], site: Any, left: bool, source: Seen) -> Told:
    kind = site["kind"] if site else _kind_of(item["gb"])
    told = Told(
        item["path"],
        item["line"],
        item["function"],
        item["code"] or _code(item["path"], item["line"]),
        kind,
        summary(kind) or item["kind"],
        "left" if left else "mended",
        count=item["count"],
    )
    if left:
        told.reason = (site or item)["reason"] or item["reason"]
        if site is None and item["untouched"]:
            told.reason = f"{item['untouched']}: {told.reason}"
        told.advice = (site or item)["advice"] or item["advice"]
        if item["skipped"]:
            told.reason += "; the whole function is left to Python"
    else:
        told.mend = (site["mend"] if site else "") or "it is computed in another way"
    _measure(told, item, source)
    return told


def _measure(told: Told, item: dict[str, Any], source: Seen) -> None:
    """Which graphs stand around the break, and what time goes between them."""
    key = [item["path"], item["line"], item["kind"]]
    graphs = source["graphs"]
    ends = [list(graph["ended_by"] or ("", 0, "")) for graph in graphs]
    without = [
        b for b in source["report"]["breaks"] if [b["path"], b["line"], b["kind"]] not in ends
    ]
    if key not in ends:
        if len(without) > 1 or not graphs:
            return
        key = ["", 0, ""]  # nothing was computed since a graph that ended by itself
    if key not in ends:
        return
    number = ends.index(key)
    last = number + 1 == len(graphs)
    told.graphs = [_named(source, number)]
    told.graphs.append("the end of the call" if last else _named(source, number + 1))
    for *place, ms in source["lost"]:
        if place == key:
            told.lost_ms = ms
            told.share = ms / source["step"]["ms"] if source["step"]["ms"] else None


def _named(source: Seen, number: int) -> str:
    count = source["graphs"][number]["operators"]
    return f"graph {number + 1} ({count} operator{'s' * (count != 1)})"


def _of_site(site: dict[str, Any]) -> Told:
    return Told(
        site["path"],
        site["line"],
        site["function"],
        _code(site["path"], site["line"]),
        site["kind"],
        summary(site["kind"]),
        "mended",
        site["mend"],
    )


def _code(path: str, line: int) -> str:
    return linecache.getline(path, line).strip()


@functools.cache
def _rules() -> dict[str, tuple[str, str]]:
    """The kinds of breaks: their identifiers of Dynamo's, and what they are."""
    found = {}
    for line in _command("rules").splitlines():
        parts = re.split(r"\s{2,}", line.strip(), maxsplit=2)
        if len(parts) == 3:
            found[parts[0]] = (parts[1], parts[2])
    return found


@functools.cache
def page_of(kind: str) -> str:
    """The page of a kind, as text; empty where there is none."""
    return _command("rules", kind) if kind in _rules() else ""


def _command(*arguments: str) -> str:
    from graphmend import _core

    written: list[bytes] = []

    def write(data: bytes) -> bool:
        written.append(data)
        return True

    _core.run_command(
        [argument.encode() for argument in arguments],
        write_output=write,
        write_error=lambda _: True,
        read_input=lambda: b"",
        decode=lambda *_: None,
    )
    return b"".join(written).decode()


def summary(kind: str) -> str:
    """A kind in words."""
    return _rules().get(kind, ("", ""))[1]


def _kind_of(gb: str) -> str:
    """The kind with an identifier of Dynamo's, where that is one kind's alone."""
    kinds = [kind for kind, (identifier, _) in _rules().items() if identifier == gb]
    return kinds[0] if len(kinds) == 1 else ""


def head(one: Callable) -> str:
    """What a callable is, in a line."""
    where = f" ({one.path}:{one.line})" if one.path else ""
    process = f" in {one.process}" if one.process else ""
    return f"{one.name}{where}{process}"


def counts(one: Callable) -> str:
    """Graphs and times before and after."""
    parts = []
    for side, name in ((one.before, "before"), (one.after, "after")):
        if side is None:
            continue
        count = graphs_of_a_call(side)
        text = f"{count} graph{'s' * (count != 1)}"
        if side["step"] is not None:
            text += f", {side['step']['ms']:.3f} ms a call"
        parts.append(f"{text} {name} mending")
    return "; ".join(parts)


def graphs_of_a_call(side: Seen) -> int:
    """How many graphs run in a call; those made where no call ran without compiling."""
    return len(side["step"]["segments"]) if side["step"] else len(side["graphs"])


def lost(item: Told) -> str:
    """The cost of a break in words."""
    if item.lost_ms is None:
        return ""
    share = f" ({item.share:.0%} of the call)" if item.share is not None else ""
    return f"{item.lost_ms:.3f} ms between the graphs in each call{share}"


def _text(one: Callable) -> str:
    lines = [head(one)]
    if one.nothing:
        lines.append(f"NOTHING WAS COMPILED HERE: {one.nothing}")
    lines.append(counts(one))
    if one.after["report"]["off"]:
        lines.append(f"all mends are taken back: {one.after['report']['off']}")
    for item in one.breaks:
        lines += ["", f"{item.place} in {item.function}: {item.code}"]
        kind = f" [graphmend rules {item.kind}]" if item.kind else ""
        lines.append(f"    {item.what}{kind}")
        if item.graphs:
            lines.append(f"    ends {item.graphs[0]}; behind it comes {item.graphs[1]}")
        cost = lost(item)
        if cost:
            lines.append(f"    costs {cost}")
        if item.status == "mended":
            lines.append(f"    mended: {item.mend}")
        else:
            lines.append(f"    left: {item.reason}")
            if item.advice:
                lines.append(f"    what to do: {item.advice}")
    for again in one.after["recompiles"]:
        place = f"{again['path']}:{again['line']}"
        times = "once" if again["count"] == 1 else f"{again['count']} times"
        lines += ["", f"{place}: {again['function']} was compiled again {times}: {again['what']}"]
        lines.append(f"    what to do: {again['cure']}")
    report = one.after["report"]
    lines += [
        f"{item['path']}:{item['line']}: {item['function']} left as it is: {item['reason']}"
        for item in report["untouched"]
    ]
    return "\n".join(lines)
