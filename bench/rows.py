"""Every row before and after mending, as a table.

    python -m bench.rows [--times none|some|all] [--jobs N] [ROW ...]

Writes bench/out/rows.json and bench/out/rows.md too. The exit status is 1 when a row that must be
whole is not, or when anything that a mended model does differs from the original.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from bench import mending, table, times
from bench.models import ROWS, Row, row_named
from bench.probe import SIDES
from bench.summary import summarise
from bench.workers import ROOT, Outcome, probe

Record = dict[str, Any]

OUT = ROOT / "bench" / "out"
TIMEOUT = 300.0


def say(text: str = "") -> None:
    """A line of progress, at once."""
    print(text, flush=True)


def measure(rows: Sequence[Row], jobs: int) -> list[Record]:
    """The records of ``rows``, in their order; a line is printed for each as it gets ready."""
    done: dict[str, Record] = {}
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        asked: dict[str, dict[str, Future[Outcome]]] = {
            row.name: {side: pool.submit(probe, row.name, side, TIMEOUT) for side in SIDES}
            for row in rows
        }
        waiting = {future for sides in asked.values() for future in sides.values()}
        while len(done) < len(rows):
            _, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for row in rows:
                sides = asked[row.name]
                if row.name in done or not all(future.done() for future in sides.values()):
                    continue
                record = summarise(row, *(sides[side].result() for side in SIDES))
                done[row.name] = record
                say(table.line(record, table.COLUMNS))
    return [done[row.name] for row in rows]


def add_times(rows: Sequence[Row], records: Sequence[Record]) -> None:
    """Cold start and steady state of ``rows``, one after the other with the machine for itself."""
    by_name = {row.name: record for row, record in zip(rows, records, strict=True)}
    for row in rows:
        started = time.perf_counter()
        record = by_name[row.name]
        record.update(times.compare(row.name))
        took = time.perf_counter() - started
        shown = [f"{column.heading} {column.cell(record)}" for column in table.TIMES]
        say(f"  {table.name(record):22}  {', '.join(shown)}   ({took:.0f} s)")


def write(records: Sequence[Record], columns: Sequence[table.Column]) -> None:
    """The files that the next reader finds."""
    OUT.mkdir(parents=True, exist_ok=True)
    text = f"{table.markdown(records, columns)}\n{table.LEGEND}\n"
    _replace(OUT / "rows.md", text)
    _replace(OUT / "rows.json", json.dumps(records, indent=1) + "\n")


def _replace(path: Path, text: str) -> None:
    partial = path.with_suffix(".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def notes(records: Sequence[Record]) -> list[str]:
    """What a reader should look at: why a row is not whole, and what was expected otherwise."""
    found = []
    for record in records:
        where = table.name(record)
        if record["breaks_before"] != record["expected_breaks_before"]:
            found.append(
                f"{where}: the original has {record['breaks_before']} breaks, "
                f"{record['expected_breaks_before']} with the pinned versions"
            )
        if record["whole"]:
            continue
        found += [f"{where}: {one}" for one in dict.fromkeys(record["break_list_after"])]
        found += [f"{where}: given up: {one}" for one in record["skipped_list_after"]]
        found += [f"{where}: {step} call: {one}" for step, one in record["errors_after"].items()]
        if record["fullgraph_error_after"]:
            found.append(f"{where}: fullgraph: {record['fullgraph_error_after']}")
    return found


def run(rows: Sequence[Row], timed: Sequence[Row], jobs: int = 2) -> tuple[list[Record], int]:
    """Measure, print, write; the records and the exit status."""
    started = time.perf_counter()
    say(f"{len(rows)} rows, each as original eager, original compiled and mended compiled")
    say(table.heading(table.COLUMNS))
    records = measure(rows, jobs)
    columns = table.COLUMNS
    write(records, columns)
    timed = [row for row in rows if row in timed]
    if timed:
        say(f"\ncold start and steady state under inductor, mended by original, {len(timed)} rows")
        kept = [record for row, record in zip(rows, records, strict=True) if row in timed]
        add_times(timed, kept)
        columns = (*table.COLUMNS, *table.TIMES)
        write(records, columns)

    say(f"\n{table.markdown(records, columns)}\n{table.LEGEND}")
    for note in notes(records):
        say(f"note: {note}")
    failed = [(record, one) for record in records for one in record["problems"]]
    for record, problem in failed:
        say(f"FAILED {table.name(record)}: {problem}")
    for record in records:
        if record["row"] == "bart" and record["dtype"] == "float32" and record["mend_ms"]:
            say(mending.said(record["row"], [record["mend_ms"]]))
    whole = sum(record["whole"] for record in records)
    say(f"{whole} of {len(records)} rows whole; {time.perf_counter() - started:.0f} s")
    say(f"written: {OUT.relative_to(ROOT)}/rows.md, {OUT.relative_to(ROOT)}/rows.json")
    return records, 1 if failed else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows by name (all)")
    parser.add_argument("--times", choices=("none", "some", "all"), default="some")
    parser.add_argument("--jobs", type=int, default=2, help="workers at a time")
    given = parser.parse_args(arguments)
    rows = [row_named(name) for name in given.rows] or list(ROWS)
    timed = {
        "none": [],
        "some": [row for row in rows if row.timed],
        "all": rows,
    }[given.times]
    _, status = run(rows, timed, given.jobs)
    return status


if __name__ == "__main__":
    sys.exit(main())
