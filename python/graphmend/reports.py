"""What was mended, how, and what was left, with the reasons."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphmend import evidence, sites

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmend.evidence import Break
    from graphmend.host import Read
    from graphmend.mending import Mending
    from graphmend.sites import Site

LEFT = "left at trace time"


@dataclass(frozen=True)
class SiteReport:
    """One site of a report."""

    id: str
    path: str
    line: int
    function: str
    kind: str
    mend: str
    status: str
    reason: str
    advice: str
    mend_ms: float
    certainty: str = "certain"
    used: int = 0
    """How often a trace used the mended form."""
    last_line: int = 0
    """The last line of its statement."""

    @property
    def shown(self) -> bool:
        """Whether anything speaks for a break here: the source, or what a trace came upon."""
        return self.certainty != "possible" or self.used > 0 or self.status == LEFT


@dataclass(frozen=True)
class Untouched:
    """A function that was left alone as a whole, and why."""

    path: str
    line: int
    function: str
    reason: str


@dataclass
class Report:
    """The sites of one compiled callable, or of all."""

    sites: list[SiteReport] = field(default_factory=list)
    untouched: list[Untouched] = field(default_factory=list)
    mend_ms: float = 0.0
    breaks: list[dict[str, Any]] = field(default_factory=list)
    """The breaks that Dynamo met although all was mended that could be."""
    traces: int = 0
    """Frames that Dynamo traced."""
    extra_traces: int = 0
    """How often compiled code was dropped and traced again, since a trace showed what to mend."""
    found: int = 0
    """Functions that only a trace showed, and that were mended before it entered them."""
    explained: list[str] = field(default_factory=list)
    """The breaks in words."""
    off: str = ""
    """Why all mends were taken back; empty when they were not."""
    empty: list[str] = field(default_factory=list)
    """Functions in whose calls Dynamo found nothing to compute: it leaves them to Python."""

    def to_json(self) -> str:
        """The report as one JSON object."""
        return json.dumps(
            {
                "sites": [vars(site) for site in self.sites],
                "untouched": [vars(item) for item in self.untouched],
                "mend_ms": self.mend_ms,
                "breaks": self.breaks,
                "traces": self.traces,
                "extra_traces": self.extra_traces,
                "found": self.found,
                "off": self.off,
                "empty": self.empty,
            },
            indent=1,
        )

    def __str__(self) -> str:
        listed = [site for site in self.sites if site.shown]
        count = Counter(site.status for site in listed)
        head = ", ".join(f"{number} {status}" for status, number in sorted(count.items()))
        lines = [f"graphmend: {head or 'no sites'}; {self.mend_ms:.1f} ms"]
        for site in sorted(listed, key=lambda s: (s.path, s.line)):
            how = site.mend if site.status == "mended" else site.status
            lines.append(f"{site.path}:{site.line}: {site.kind} in {site.function}: {how}")
            if site.reason:
                lines.append(f"    {site.reason}")
            if site.advice:
                lines.append(f"    {site.advice}")
        if len(listed) < len(self.sites):
            lines.append(
                f"{len(self.sites) - len(listed)} branches that nothing shows to be on tensors "
                "are not listed (to_json() has them)"
            )
        if self.off:
            lines.append(f"all mends are taken back: {self.off}")
        if self.empty and not self.traces:
            lines.append(
                "NOTHING WAS COMPILED HERE: Dynamo found nothing to compute in a call of "
                f"{', '.join(self.empty)}, and leaves later calls to Python, too"
            )
        if self.traces:
            lines.append(
                f"traces: {self.traces}, again for what they showed: {self.extra_traces}, "
                f"functions that only a trace showed: {self.found}"
            )
        if self.explained:
            lines.append("breaks that are left:")
            lines.extend(self.explained)
        lines.extend(
            f"{item.path}:{item.line}: {item.function} left as it is: {item.reason}"
            for item in self.untouched
        )
        return "\n".join(lines)


def of_site(site: Site) -> SiteReport:
    """The state of a site now."""
    reasons = [site.reason] if site.reason else []
    reasons += list(site.left)
    for reason in (site.refused, site.refused_with_gradients):
        if reason and reason not in reasons:
            reasons.append(reason)
    return SiteReport(
        id=site.id,
        path=site.path,
        line=site.line,
        function=site.function,
        kind=site.kind,
        mend=site.mend,
        status=site.outcome,
        reason="; ".join(reasons),
        advice=site.advice,
        mend_ms=site.mend_ms,
        certainty=site.certainty,
        used=site.used,
        last_line=max(site.line, site.last_line),
    )


def of_read(read: Read) -> SiteReport:
    """What became of a host read."""
    return SiteReport(
        id="",
        path=read.path,
        line=read.line,
        function=read.function,
        kind="host-read",
        mend=read.mend,
        status="mended" if read.mend else "declined",
        reason=read.reason,
        advice="" if read.mend else _ADVICE,
        mend_ms=0.0,
        used=read.used,
        last_line=read.line,
    )


_ADVICE = "compute the value before the compiled function and pass it in as a number"


def report(compiled: Any = None) -> Report:
    """What was mended for ``compiled``, or in this process when it is not given."""
    from graphmend import mending

    if compiled is None:
        return Report(
            [of_site(site) for site in sites.all_sites()],
            list(mending.untouched()),
            mending.total_ms(),
        )
    mended = mending.of(compiled)
    if mended is None:
        raise TypeError("this callable was not made by graphmend.compile")
    return of_mending(mended)


def of_mending(mended: Mending) -> Report:
    """What was done for one compiled callable, and what its traces showed."""
    seen = mended.evidence
    remaining = seen.remaining()
    found = [of_site(site) for site in mended.sites]
    found += [of_read(read) for read in mended.reads.values()]
    return Report(
        found,
        mended.untouched,
        mended.ms,
        [evidence.as_dict(item, mended.sites, mended.untouched) for item in remaining],
        seen.traces,
        seen.retraces,
        seen.found,
        [
            line
            for item in remaining
            for line in evidence.explain(item, mended.sites, mended.untouched)
        ],
        mended.off,
        [f"{name} ({path}:{line})" for (path, line), name in seen.empty.items()],
    )


def broken(first: Break, others: Sequence[Break], mended: Mending) -> str:
    """For an error: the break that Dynamo stopped at, then what else is left.

    ``others`` are what a trace comes upon that goes on behind each break.
    """
    lines = ["the graph still breaks, and fullgraph=True allows no break", ""]
    lines += evidence.explain(first, mended.sites, mended.untouched)
    further = [item for item in others if item.place != first.place]
    told = [evidence.site_of(item, mended.sites) for item in (first, *further)]
    rest = [
        site
        for site in mended.sites
        if site.status == "declined"
        and site.certainty != "possible"
        and not any(site is item for item in told)
    ]
    if further or rest:
        lines += ["", "Dynamo stops at the first break; these sites are left as well:"]
    for item in further:
        lines += evidence.explain(item, mended.sites, mended.untouched)
    for site in rest:
        lines.append(f"{site.path}:{site.line} in {site.function}: {site.kind}")
        lines.append(f"    not mended: {site.reason}")
        if site.advice:
            lines.append(f"    what to do: {site.advice}")
    lines += ["", "The message of torch.compile follows above, as the cause of this error."]
    return "\n".join(lines)
