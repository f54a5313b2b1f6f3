"""An explanation as one page for a browser: no scripts, nothing that is fetched.

The page holds for each callable its breaks, the time of a call before and after mending, the
graphs side by side, and the source with the lines marked by graph. It reads in one column on a
phone and in two on a desk.
"""

from __future__ import annotations

import linecache
from html import escape
from typing import TYPE_CHECKING

from graphmend import explanation

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmend.explanation import Callable, Explanation, Seen, Told

_COLOURS = 6
_AROUND = 3
"""How many lines of the source are shown around a marked one."""

_STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --soft: #5b6470; --line: #d8dde3;
  --card: #f6f8fa; --bad: #b3261e; --good: #1a7f37;
  --g0: #4c78a8; --g1: #e08214; --g2: #54a24b; --g3: #b279a2; --g4: #72a0c1; --g5: #9d755d; }
@media (prefers-color-scheme: dark) { :root { --back: #15181c; --text: #e6e9ed; --soft: #9aa4af;
  --line: #363c44; --card: #1d2126; --bad: #ff8a80; --good: #63d07f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 76rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0 0 .5rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .25rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
p { margin: .25rem 0; } .soft { color: var(--soft); }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
pre { overflow-x: auto; margin: .5rem 0 0; overflow-wrap: normal; }
.loud { background: var(--bad); color: var(--back); font-weight: 700; padding: .75rem 1rem;
  border-radius: .5rem; }
.card { background: var(--card); border: 1px solid var(--line); border-left: .3rem solid var(--bad);
  border-radius: .5rem; padding: .75rem 1rem; margin: .75rem 0; }
.card.mended { border-left-color: var(--good); }
.state { font-weight: 700; color: var(--bad); } .mended .state { color: var(--good); }
.pair { display: grid; grid-template-columns: 1fr; gap: 1rem; }
@media (min-width: 48rem) { .pair { grid-template-columns: 1fr 1fr; } }
.pair > div { min-width: 0; }
.time { display: flex; height: 2rem; border: 1px solid var(--line); border-radius: .25rem;
  overflow: hidden; margin: .25rem 0 .75rem; }
.time > i { display: block; min-width: 1px; } .time > .rest { background: transparent; }
.time > .gap { background:
  repeating-linear-gradient(45deg, var(--bad) 0 3px, transparent 3px 7px); }
.graph { background: var(--card); border: 1px solid var(--line); border-left: .5rem solid;
  border-radius: .5rem; padding: .5rem .75rem; }
.cut { color: var(--bad); text-align: center; padding: .35rem; font-size: .9rem; }
.source { border: 1px solid var(--line); border-radius: .5rem; overflow-x: auto; margin: .5rem 0; }
.source table { border-collapse: collapse; min-width: 100%; }
.source td { padding: 0 .5rem; white-space: pre; font: 13px/1.6 ui-monospace, monospace; }
.source td.n { color: var(--soft); text-align: right; user-select: none; }
.source td.m { padding: 0; min-width: .5rem; border-right: 2px solid var(--back); }
.source td:last-child { width: 100%; }
.source tr.hit { background: color-mix(in srgb, var(--bad) 16%, transparent); }
.source tr.hit.mended { background: color-mix(in srgb, var(--good) 16%, transparent); }
.source tr.skip td { color: var(--soft); text-align: center; }
a { color: inherit; }
""" + "".join(f".c{n} {{ background: var(--g{n}); }} .b{n} {{ border-left-color: var(--g{n}); }}\n"
              for n in range(_COLOURS))  # fmt: skip


def page(told: Explanation) -> str:
    """The page."""
    left = sum(item.status == "left" for item in told.breaks)
    mended = len(told.breaks) - left
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>graphmend explain</title><style>{_STYLE}</style></head><body>",
        "<h1>What breaks the graphs</h1>",
        f"<p>{len(told.breaks)} breaks: {mended} mended, {left} left. Times are those of the host, "
        "in one call; compiling is not in them.</p>",
    ]
    if not told.callables:
        parts.append('<p class="loud">NOTHING WAS COMPILED HERE: torch.compile was not called</p>')
    for number, one in enumerate(told.callables):
        parts += _callable(one, f"c{number}")
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def _callable(one: Callable, key: str) -> Iterable[str]:
    yield f'<section id="{key}"><h2>{escape(one.name)}</h2>'
    yield f'<p class="soft"><code>{escape(explanation.head(one))}</code></p>'
    if one.nothing:
        yield f'<p class="loud">NOTHING WAS COMPILED HERE: {escape(one.nothing)}</p>'
    else:
        yield f"<p>{escape(explanation.counts(one))}</p>"
        yield from _timeline(one)
    if one.breaks:
        yield "<h3>Breaks</h3>"
        for number, item in enumerate(one.breaks):
            yield from _card(item, f"{key}-{number}")
    yield from _recompiles(one.after)
    if not one.nothing:
        yield '<h3>Graphs</h3><div class="pair">'
        for side, name in ((one.before, "Before mending"), (one.after, "After mending")):
            if side is not None:
                yield from _graphs(side, name, one, key)
        yield "</div>"
    yield from _sources(one, key)
    yield "</section>"


def _card(item: Told, key: str) -> Iterable[str]:
    yield f'<div class="card {item.status}" id="{key}">'
    yield f"<p><strong>{escape(item.what)}</strong></p>"
    yield f'<p class="soft"><code>{escape(item.place)}</code> in {escape(item.function)}</p>'
    yield f"<pre>{escape(item.code)}</pre>"
    if item.graphs:
        first, second = item.graphs
        yield f"<p>It ends {escape(first)}; behind it comes {escape(second)}.</p>"
    cost = explanation.lost(item)
    if cost:
        yield f"<p>It costs {escape(cost)}.</p>"
    if item.status == "mended":
        yield f'<p><span class="state">mended</span>: {escape(item.mend)}</p>'
    else:
        yield f'<p><span class="state">left</span>: {escape(item.reason)}</p>'
        if item.advice:
            yield f"<p>What to do: {escape(item.advice)}</p>"
    text = explanation.page_of(item.kind) if item.kind else ""
    if text:
        yield f"<details><summary>About {escape(item.kind)}</summary>"
        yield f'<pre style="white-space: pre-wrap">{escape(text)}</pre></details>'
    yield "</div>"


def _timeline(one: Callable) -> Iterable[str]:
    sides = [(s, n) for s, n in ((one.before, "before"), (one.after, "after")) if s and s["step"]]
    if not sides:
        yield '<p class="soft">Every call compiled something: there is no time to show.</p>'
        return
    longest = max(side["step"]["ms"] for side, _ in sides)
    yield "<h3>Where the time of a call goes</h3>"
    for side, name in sides:
        step = side["step"]
        yield f"<p>{name.capitalize()} mending: {step['ms']:.3f} ms</p>"
        width = step["ms"] / longest * 100
        yield (
            f'<div class="time" role="img" aria-label="{name}: {step["ms"]:.3f} ms" '
            f'style="width:{width:.2f}%">'
        )
        yield from _bars(side)
        yield "</div>"
    yield (
        '<p class="soft">Coloured: graphs. Hatched: Python between two graphs, at a break. '
        "White: Python before and after them.</p>"
    )


def _bars(side: Seen) -> Iterable[str]:
    step = side["step"]
    now, ended = 0.0, None

    def bar(kind: str, begin: float, end: float, title: str) -> str:
        width = max(0.0, end - begin) / step["ms"] * 100
        return f'<i class="{kind}" style="width:{width:.2f}%" title="{escape(title)}"></i>'

    for number, begin, end in step["segments"]:
        kind = "gap" if ended is not None else "rest"
        title = f"break at {ended[0]}:{ended[1]}" if ended else "before the graph"
        yield bar(kind, now, begin, f"{title}: {begin - now:.3f} ms")
        yield bar(f"c{number % _COLOURS}", begin, end, f"graph {number + 1}: {end - begin:.3f} ms")
        now, ended = end, side["graphs"][number]["ended_by"]
    kind = "gap" if ended is not None else "rest"
    title = f"break at {ended[0]}:{ended[1]}" if ended else "after the graph"
    yield bar(kind, now, step["ms"], f"{title}: {step['ms'] - now:.3f} ms")


def _shown(side: Seen) -> list[int]:
    """The graphs of the call that is shown, else all."""
    if side["step"] is not None:
        return list(dict.fromkeys(number for number, _, _ in side["step"]["segments"]))
    return list(range(len(side["graphs"])))


def _graphs(side: Seen, name: str, one: Callable, key: str) -> Iterable[str]:
    yield f"<div><h3>{name}</h3>"
    for number in _shown(side):
        graph = side["graphs"][number]
        count = graph["operators"]
        title = f"Graph {number + 1}: {count} operator{'s' * (count != 1)}"
        yield f'<div class="graph b{number % _COLOURS}"><details><summary>{title}</summary>'
        yield f"<pre>{escape(graph['text'])}</pre></details></div>"
        if graph["ended_by"] is not None:
            path, line, _ = graph["ended_by"]
            place = escape(f"{_short(path)}:{line}")
            index = _break_at(one, path, line)
            link = f'<a href="#{key}-{index}">{place}</a>' if index is not None else place
            yield f'<div class="cut">✂ broken at {link}</div>'
    yield "</div>"


def _recompiles(side: Seen) -> Iterable[str]:
    if side["recompiles"]:
        yield "<h3>Compiled again</h3>"
    for item in side["recompiles"]:
        times = "once" if item["count"] == 1 else f"{item['count']} times"
        yield f'<div class="card"><p><strong>{escape(item["what"])}</strong></p>'
        place = escape(f"{item['path']}:{item['line']}")
        yield f'<p class="soft"><code>{place}</code> in {escape(item["function"])}, {times}</p>'
        yield f"<p>What to do: {escape(item['cure'])}</p></div>"


def _sources(one: Callable, key: str) -> Iterable[str]:
    """The source around what was traced: a column for the graph before, and one for that after."""
    marks: dict[str, dict[int, list[int | None]]] = {}
    for column, side in enumerate((one.before, one.after)):
        for number in _shown(side) if side is not None else ():
            assert side is not None
            for path, line, _ in side["graphs"][number]["lines"]:
                marks.setdefault(path, {}).setdefault(line, [None, None])[column] = number
    for item in one.breaks:
        marks.setdefault(item.path, {}).setdefault(item.line, [None, None])
    if marks:
        yield "<h3>Source</h3>"
        yield '<p class="soft">Left of a line: its graph before mending, and after it.</p>'
    for path, lines in sorted(marks.items()):
        yield f'<p><code>{escape(path)}</code></p><div class="source"><table>'
        last = 0
        for number in _around(lines, path):
            if last and number != last + 1:
                yield '<tr class="skip"><td></td><td></td><td></td><td>⋯</td></tr>'
            last = number
            yield _row(path, number, lines.get(number, [None, None]), one, key)
        yield "</table></div>"


def _around(lines: Iterable[int], path: str) -> list[int]:
    most = len(linecache.getlines(path))
    near = {n for line in lines for n in range(line - _AROUND, line + _AROUND + 1)}
    return sorted(n for n in near if 1 <= n <= most)


def _row(path: str, number: int, graphs: list[int | None], one: Callable, key: str) -> str:
    cells = "".join(
        f'<td class="m c{g % _COLOURS}" title="graph {g + 1}"></td>' if g is not None
        else '<td class="m"></td>'
        for g in graphs
    )  # fmt: skip
    hit = _break_at(one, path, number)
    style, shown = "", str(number)
    if hit is not None:
        style = f' class="hit {one.breaks[hit].status}"'
        shown = f'<a href="#{key}-{hit}">{number}</a>'
    text = escape(linecache.getline(path, number).rstrip("\n"))
    return f'<tr{style}>{cells}<td class="n">{shown}</td><td>{text}</td></tr>'


def _break_at(one: Callable, path: str, line: int) -> int | None:
    found = (i for i, b in enumerate(one.breaks) if (b.path, b.line) == (path, line))
    return next(found, None)


def _short(path: str) -> str:
    return path.rpartition("/")[2]
