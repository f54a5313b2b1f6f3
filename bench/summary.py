"""From the facts of the three sides of a row to one record of the table."""

from __future__ import annotations

from typing import Any

from bench.models import Row
from bench.probe import STEPS, steps_of
from bench.workers import Outcome

Record = dict[str, Any]

_NAMES = [step.name for step in STEPS]


def summarise(row: Row, eager: Outcome, original: Outcome, mended: Outcome) -> Record:
    """One object of rows.json: the row, then what was seen before and after, then comparisons."""
    made = len(steps_of(row))
    record: Record = {
        "row": row.row,
        "case": row.case,
        "dtype": row.dtype,
        **_side(original, "before"),
        **_side(mended, "after"),
        "outputs_equal": _equal(made, eager, mended, "output"),
        "records_equal": _equal(made, eager, mended, "records"),
        "state_equal": _equal(made, eager, mended, "state"),
        "outputs_equal_before": _equal(made, eager, original, "output"),
        "records_equal_before": _equal(made, eager, original, "records"),
        "records_count": sum(len(eager_step["records"]) for eager_step in _steps(eager)),
        "output_sha256": [step["output"] for step in _steps(eager)],
        "eager_failure": eager.failure,
        **_own_report(mended),
    }
    record["whole"] = _whole(made, record)
    record["must_be_whole"] = row.whole
    record["expected_breaks_before"] = row.breaks_before
    record["problems"] = _problems(record)
    return record


def _steps(outcome: Outcome) -> list[dict[str, Any]]:
    steps = outcome.facts.get("steps", {})
    return [steps[name] for name in _NAMES if name in steps]


def _side(outcome: Outcome, suffix: str) -> Record:
    """Counts of one compiled side; None where the worker did not get so far."""
    facts = outcome.facts
    steps = facts.get("steps", {})
    first = steps.get("first", {})
    ran = bool(first) and not first["error"]
    passed = facts.get("fullgraph")
    later = [step["frames"] for step in _steps(outcome)[1:]]
    counts: Record = {
        "breaks": first["graphs"] - 1 if ran else None,
        "break_events": first.get("breaks"),
        "skipped": first.get("skipped"),
        "calls": steps.get("second", {}).get("calls") if ran else None,
        "graph_ops": facts.get("operators") if ran else None,
        "fullgraph": passed if passed is None else passed is True,
        "fullgraph_error": passed if isinstance(passed, str) else "",
        "recompiles": sum(later) if ran else None,
        "recompiles_detail": later,
        "calls_detail": [step.get("calls") for step in _steps(outcome)],
        "errors": {name: steps[name]["error"] for name in steps if steps[name]["error"]},
        "break_list": facts.get("break_list", []),
        "skipped_list": facts.get("skipped_list", []),
        "compiler_records": [one for step in _steps(outcome) for one in step["compiler_records"]],
        "failure": outcome.failure,
    }
    return {f"{key}_{suffix}": value for key, value in counts.items()}


def _equal(made: int, one: Outcome, other: Outcome, key: str) -> bool:
    """Whether both sides made every step, with the same errors and the same ``key``."""
    mine, theirs = _steps(one), _steps(other)
    if len(mine) != made or len(theirs) != made:
        return False
    return all(
        a["inputs"] == b["inputs"] and a["error"] == b["error"] and a[key] == b[key]
        for a, b in zip(mine, theirs, strict=True)
    )


def _own_report(outcome: Outcome) -> Record:
    report = outcome.facts.get("report") or {}
    sites = report.get("sites", [])
    return {
        "mend_ms": report.get("mend_ms"),
        "functions": report.get("functions"),
        "sites_mended": sum(site["status"] == "mended" for site in sites),
        "sites_left": sum(site["status"] != "mended" for site in sites),
        "sites": sites,
        "untouched": report.get("untouched", []),
    }


def _whole(made: int, record: Record) -> bool:
    """One backend call in every call, no frame given up, and ``fullgraph=True`` passes."""
    return (
        record["breaks_after"] == 0
        and record["break_events_after"] == 0
        and record["skipped_after"] == 0
        and record["calls_detail_after"] == [1] * made
        and record["fullgraph_after"] is True
    )


def _problems(record: Record) -> list[str]:
    """What must hold and doesn't. Of rows that need not be whole yet: that nothing differs."""
    found = [f"reference: {record['eager_failure']}"] if record["eager_failure"] else []
    if record["failure_after"] and not record["failure_before"]:
        found.append(f"mended: {record['failure_after']}")
    if record["must_be_whole"]:
        if not record["whole"]:
            found.append("not whole")
        before, after = record["recompiles_before"], record["recompiles_after"]
        if before is not None and after is not None and after > before:
            found.append(f"compiles again {after} times, the original {before}")
    elif record["failure_after"] or record["errors_after"]:
        return found
    found += [
        f"{what} differ from the original's"
        for what in ("outputs", "records", "state")
        if not record[f"{what}_equal"]
    ]
    return found
