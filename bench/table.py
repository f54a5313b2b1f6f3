"""The table, as text for a terminal and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Record = dict[str, Any]


@dataclass(frozen=True)
class Column:
    """A column: its heading, its width on a terminal, and what a record shows in it."""

    heading: str
    width: int
    cell: Callable[[Record], str]


def name(record: Record) -> str:
    """A row as the table names it: the model, then case and dtype where they are not the plain."""
    dtype = {"float32": "", "float16": "fp16"}.get(record["dtype"], record["dtype"])
    return " ".join(part for part in (record["row"], record["case"], dtype) if part)


def _both(key: str) -> Callable[[Record], str]:
    def cell(record: Record) -> str:
        return f"{_one(record, key, 'before')} → {_one(record, key, 'after')}"

    return cell


def _one(record: Record, key: str, side: str) -> str:
    value = record[f"{key}_{side}"]
    if value is None:
        return "fails" if record[f"failure_{side}"] or record[f"errors_{side}"] else "?"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _whole(record: Record) -> str:
    return "whole" if record["whole"] else "NOT" if record["must_be_whole"] else "no"


def _agrees(key: str) -> Callable[[Record], str]:
    def cell(record: Record) -> str:
        if record[f"{key}_equal"]:
            return "equal"
        return "fails" if record["failure_after"] or record["errors_after"] else "DIFFER"

    return cell


def _mending(record: Record) -> str:
    value = record["mend_ms"]
    return "" if value is None else f"{value:.1f}"


def _ratio(key: str) -> Callable[[Record], str]:
    def cell(record: Record) -> str:
        value = record.get(key)
        return value if isinstance(value, str) else "" if value is None else f"{value:.2f}"

    return cell


COLUMNS: tuple[Column, ...] = (
    Column("row", 22, name),
    Column("whole", 6, _whole),
    Column("breaks", 11, _both("breaks")),
    Column("events", 9, _both("break_events")),
    Column("skipped", 8, _both("skipped")),
    Column("calls", 11, _both("calls")),
    Column("operators", 11, _both("graph_ops")),
    Column("fullgraph", 9, _both("fullgraph")),
    Column("recompiles", 11, _both("recompiles")),
    Column("outputs", 7, _agrees("outputs")),
    Column("records", 7, _agrees("records")),
    Column("state", 7, _agrees("state")),
    Column("mend ms", 7, _mending),
)
TIMES: tuple[Column, ...] = (
    Column("cold", 6, _ratio("cold_ratio")),
    Column("steady", 6, _ratio("steady_ratio")),
)

LEGEND = """\
Before → after mending, `torch.compile` against `graphmend.compile`, backend `eager`, no gradients.
*whole*: one backend call in each call, no frame given up, `fullgraph=True` passes. *breaks*: graphs
of the first call, minus 1. *events*: breaks that Dynamo logged in it. *skipped*: frames given up in
it. *calls*: backend-made callables run in the second call. *operators*: call nodes over all graphs.
*recompiles*: frames compiled in a second and third call and on another length. *outputs*, *records*
and *state*: mended and compiled against the original in eager, over all calls, bit for bit.
*cold*, *steady*: time of compiling and first call, and of a later call, under inductor, mended by
original."""


def heading(columns: Sequence[Column]) -> str:
    """The line over the columns."""
    return "  ".join(column.heading.ljust(column.width) for column in columns).rstrip()


def line(record: Record, columns: Sequence[Column]) -> str:
    """One line for a terminal."""
    return "  ".join(column.cell(record).ljust(column.width) for column in columns).rstrip()


def markdown(records: Sequence[Record], columns: Sequence[Column]) -> str:
    """The whole table."""
    rows = [[column.heading for column in columns], ["---"] * len(columns)]
    rows += [[column.cell(record) for column in columns] for record in records]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows) + "\n"
