"""The rows with every function of the model hidden from analysis of names: evidence alone is left.

    python -m bench.hidden_rows [--way WAY] [--jobs N] [ROW ...]

The models are those of ``make run``, with their code hidden as ``bench.hiding`` says; the original
in eager mode and under ``torch.compile`` is hidden in the same way. Before the first call nothing
of the model is known, which is checked. The exit status is 1 when something was known, or when a
row that must be whole is not, or when anything that a mended model does differs from the original.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench import hiding, table
from bench.models import ROWS, Row, row_named
from bench.probe import SIDES
from bench.rows import TIMEOUT, notes
from bench.summary import summarise
from bench.table import Column
from bench.workers import probe

Record = dict[str, Any]
MIXED = "mixed"


def _number(key: str) -> Column:
    return Column(key.replace("_", " "), max(6, len(key)), lambda record: str(record[key]))


COLUMNS = (
    table.COLUMNS[0],
    *(column for column in table.COLUMNS if column.heading in ("whole", "breaks", "calls")),
    _number("hidden"),
    _number("known_before"),
    _number("found"),
    _number("extra_traces"),
    *(column for column in table.COLUMNS if column.heading in ("outputs", "records", "state")),
)
LEGEND = """\
*hidden*: functions of the model that no walk over names finds; *known before*: sites that were
known before the first call; *found*: functions that a trace came upon and that were mended for it;
*extra traces*: how often compiled code was dropped, to be traced again."""


def measure(row: Row, way: str) -> Record:
    """One row: the record of ``make run``, and what is said of hiding."""
    sides = {side: probe(row.name, side, TIMEOUT, hide=way) for side in SIDES}
    record = summarise(row, *(sides[side] for side in SIDES))
    facts = sides["mended"].facts
    report = facts.get("report") or {}
    record["hidden"] = facts.get("hidden", 0)
    record["known_before"] = facts.get("known_before")
    record["found"] = report.get("found")
    record["extra_traces"] = report.get("extra_traces")
    if record["known_before"]:
        record["problems"].append(f"{record['known_before']} sites were not hidden")
    if record["must_be_whole"] and not record["found"]:
        record["problems"].append("nothing was found by a trace")
    if record["must_be_whole"] and record["breaks_before"] == 0:
        record["problems"].append("the hidden original does not break: this shows nothing")
    return record


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows by name (all)")
    parser.add_argument("--way", choices=(MIXED, *hiding.WAYS), default=MIXED)
    parser.add_argument("--jobs", type=int, default=2, help="rows at a time")
    given = parser.parse_args(arguments)
    rows = [row_named(name) for name in given.rows] or list(ROWS)
    started = time.perf_counter()
    print(table.heading(COLUMNS), flush=True)
    records = []
    with ThreadPoolExecutor(max_workers=given.jobs) as pool:
        for record in pool.map(lambda row: measure(row, given.way), rows):
            records.append(record)
            print(table.line(record, COLUMNS), flush=True)
    print(f"\n{LEGEND}")
    for note in notes(records):
        print(f"note: {note}")
    failed = [(record, one) for record in records for one in record["problems"]]
    for record, problem in failed:
        print(f"FAILED {table.name(record)}: {problem}")
    whole = sum(record["whole"] for record in records)
    seconds = time.perf_counter() - started
    print(f"{whole} of {len(records)} rows whole through evidence alone; {seconds:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
