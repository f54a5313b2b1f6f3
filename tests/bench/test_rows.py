"""The rows and what measures them."""

from __future__ import annotations

import importlib.util
import logging
import subprocess
import sys
import textwrap
import warnings
from dataclasses import replace

import pytest

pytest.importorskip("torch")
if importlib.util.find_spec("transformers") is None:
    pytest.skip("the models' libraries are not installed", allow_module_level=True)

import torch

from bench import hiding, probe, summary, table, workers
from bench.digest import digest
from bench.models import ROWS, fill_uninitialised, row_named
from bench.records import listen
from bench.watch import watch
from bench.workers import Outcome

TIMEOUT = 240.0
FIELDS = {
    "row",
    "case",
    "dtype",
    "outputs_equal",
    "records_equal",
    "mend_ms",
    *(
        f"{what}_{side}"
        for what in (
            "breaks",
            "break_events",
            "skipped",
            "calls",
            "graph_ops",
            "fullgraph",
            "recompiles",
        )
        for side in ("before", "after")
    ),
}


def test_rows_have_names_of_their_own():
    names = [row.name for row in ROWS]
    assert len(names) == len(set(names))
    assert {row.row for row in ROWS if row.whole} >= {"bart", "phi3", "chronos-bolt"}
    assert sum(row.timed for row in ROWS) == 4


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_builds_the_same_model_and_inputs_each_time(row):
    model, again = row.build(), row.build()
    assert probe.state(model) == probe.state(again)
    assert not any(p.isnan().any() for p in model.parameters() if p.is_floating_point())
    assert digest(row.inputs(1)) == digest(row.inputs(1))
    assert digest(row.inputs(0)) != digest(row.inputs(1))
    shapes = [
        {key: value.shape for key, value in row.inputs(*how).items()}
        for how in ((0,), (1,), (0, True))
    ]
    assert shapes[0] == shapes[1] != shapes[2]


@pytest.mark.parametrize("name", ["biogpt", "layoutlmv3"])
def test_original_breaks_as_expected(name):
    row = row_named(name)
    eager = workers.probe(name, "eager", TIMEOUT)
    original = workers.probe(name, "original", TIMEOUT)
    assert (eager.failure, original.failure) == ("", "")
    record = summary.summarise(row, eager, original, original)
    assert set(record) >= FIELDS
    assert record["breaks_before"] == row.breaks_before == 2
    assert record["break_events_before"] == 2
    assert record["skipped_before"] == 0
    assert record["calls_before"] == 3
    assert record["fullgraph_before"] is False
    assert record["fullgraph_error_before"].startswith("Unsupported: ")
    # The first call's frames: what a break leaves is compiled again for another length.
    assert record["recompiles_detail_before"][:2] == [0, 0]
    assert record["recompiles_before"] > 1
    assert record["outputs_equal"]
    assert not record["whole"]
    assert record["records_count"] > 0
    assert "not whole" in record["problems"]


def facts_of(steps, **more):
    return Outcome({"steps": steps, "stage": "done", **more})


def step(**more):
    return {
        "output": "",
        "error": "",
        "state": "",
        "inputs": "",
        "records": [],
        "compiler_records": [],
        "graphs": 0,
        "breaks": 0,
        "skipped": 0,
        "frames": 0,
        "calls": 1,
        **more,
    }


def whole_steps(**of_first):
    first, *later = probe.STEPS
    steps = {first.name: step(graphs=1, frames=1, **of_first)}
    return steps | {one.name: step() for one in later if not one.stressed}


def summarised(mended, eager=None):
    row = row_named("bart")
    reference = facts_of(whole_steps()) if eager is None else eager
    before = facts_of(whole_steps() | {"other length": step(frames=2)}, fullgraph=True, operators=9)
    return summary.summarise(row, reference, before, mended)


def test_whole_row_has_no_problem():
    record = summarised(facts_of(whole_steps(), fullgraph=True, operators=9))
    assert record["whole"]
    assert record["problems"] == []
    assert set(record) >= FIELDS


@pytest.mark.parametrize(
    ("steps", "more", "problem"),
    [
        (whole_steps(), {"fullgraph": "Unsupported: x"}, "not whole"),
        (whole_steps() | {"third": step(calls=2)}, {"fullgraph": True}, "not whole"),
        (whole_steps(skipped=1), {"fullgraph": True}, "not whole"),
        (whole_steps(breaks=1), {"fullgraph": True}, "not whole"),
        (
            whole_steps() | {"other length": step(frames=3)},
            {"fullgraph": True},
            "compiles again 3 times, the original 2",
        ),
        (
            whole_steps(output="else"),
            {"fullgraph": True},
            "outputs differ from the original's",
        ),
        (
            whole_steps(records=[{"message": "once more"}]),
            {"fullgraph": True},
            "records differ from the original's",
        ),
        (whole_steps(state="else"), {"fullgraph": True}, "state differ from the original's"),
    ],
)
def test_problems_are_seen(steps, more, problem):
    assert problem in summarised(facts_of(steps, **more))["problems"]


def test_worker_that_ends_early_shows_in_the_table():
    crashed = Outcome({"stage": "the first call", "steps": {}}, "killed by SIGSEGV")
    record = summarised(crashed)
    assert record["problems"][0] == "mended: killed by SIGSEGV"
    assert not record["whole"]
    shown = table.line(record, table.COLUMNS)
    assert "fails" in shown
    assert table.markdown([record], table.COLUMNS).count("\n") == 3


def test_worker_that_hangs_or_names_no_row_is_an_outcome():
    assert workers.probe("no-such-row", "eager", TIMEOUT).failure.startswith("exit status 1")
    assert workers.probe("bart", "eager", 0.2).failure.startswith("no end after 0 s")


def test_records_are_those_of_the_program():
    quiet = logging.getLogger("tests.bench.quiet")
    quiet.propagate = False
    with listen() as heard:
        logging.getLogger("tests.bench.rows").warning("one %s", "argument")
        quiet.error("two")
        quiet.debug("below the level")
        logging.getLogger("torch._dynamo").warning("not ours")
        warnings.warn("three", FutureWarning, stacklevel=1)
    assert [record["message"] for record in heard.records] == ["one argument", "two", "three"]
    assert heard.records[0]["args"] == "('argument',)"
    assert {record["path"] for record in heard.records} == {__file__}


def test_watch_counts_breaks_and_frames_given_up():
    def in_a_loop(x):
        for _ in range(2):
            if x.sum() > 0:
                x = x + 1
        return x

    torch._dynamo.reset()
    with watch() as seen:
        torch.compile(in_a_loop, backend=seen.backend)(torch.ones(3))
    assert len(seen.skipped) == 1
    assert "in_a_loop" in seen.skipped[0]
    assert len(seen.breaks) == 1
    assert seen.breaks[0].function == "in_a_loop"
    assert seen.graphs == []


def test_operators_of_branches_count():
    def branch(x):
        return torch.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, (x,))

    torch._dynamo.reset()
    with watch() as seen:
        torch.compile(branch, backend=seen.backend, fullgraph=True)(torch.ones(3))
    # sum, gt, cond and the one of its results, and an operator in each branch.
    assert seen.operators() == 6


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (torch.zeros(2), torch.zeros(2, dtype=torch.float16)),
        (torch.zeros(2, 1), torch.zeros(1, 2)),
        (torch.zeros(2), torch.tensor([0.0, -0.0])),
        ((torch.zeros(2),), [torch.zeros(2)]),
        ({"a": torch.zeros(1), "b": None}, {"a": torch.zeros(1)}),
        (1, True),
    ],
)
def test_digest_tells_apart(one, other):
    assert digest(one) != digest(other)


def test_digest_of_nan_is_of_its_bits():
    nan = torch.tensor([float("nan")])
    other = (nan.view(torch.int32) + 1).view(torch.float32)
    assert digest(nan) == digest(nan.clone())
    assert digest(nan) != digest(other)


def test_uninitialised_memory_is_filled_alike():
    module = torch.nn.Module()
    module.weight = torch.nn.Parameter(torch.full((3,), float("nan")))
    module.bias = torch.nn.Parameter(torch.ones(3))
    assert fill_uninitialised(module) == ["weight"]
    assert module.bias.tolist() == [1.0, 1.0, 1.0]
    assert not module.weight.isnan().any()


def test_stress_turns_the_branch():
    row = row_named("bart-float16")
    assert [one.name for one in probe.steps_of(row)][-1] == "stressed"
    assert "stressed" not in [one.name for one in probe.steps_of(row_named("bart"))]
    model = row.build()
    with torch.no_grad():
        calm = model(**row.inputs()).encoder_last_hidden_state
        row.stress(model)
        wild = model(**row.inputs()).encoder_last_hidden_state
    assert calm.abs().max() < 100
    # What overflowed was clamped: the arm that the other calls don't take.
    assert wild.isfinite().all()
    assert wild.abs().max() > 60000


def test_rows_run_to_the_table(tmp_path):
    """A row from a command line to the files, mended by nothing: the bench alone."""
    script = f"""
        import os, sys
        from pathlib import Path
        os.environ["GRAPHMEND_BENCH_STAND_IN"] = "1"
        from bench import rows
        rows.OUT = rows.ROOT / {str(tmp_path)!r}
        sys.exit(rows.main(["--times", "none", "layoutlmv3"]))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        cwd=workers.ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "FAILED layoutlmv3: not whole" in done.stdout
    assert (tmp_path / "rows.json").exists()
    assert (tmp_path / "rows.md").read_text().startswith("| row | whole | breaks |")


def test_row_is_replaceable_for_experiments():
    row = replace(row_named("bart"), length=4)
    assert row.inputs()["input_ids"].shape == (1, 4)


class Base(torch.nn.Module):
    def __call__(self, x):
        return super().__call__(x) * 1

    def forward(self, x):
        return x + 1


class Part(Base):
    def forward(self, x):
        return super().forward(x) * 2


class Whole(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = torch.nn.ModuleList([Part(), Base(), torch.nn.ReLU()])

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x


@pytest.mark.parametrize("ways", [hiding.WAYS, *((way,) for way in hiding.WAYS)], ids="-".join)
def test_hidden_models_compute_the_same(monkeypatch, ways):
    from graphmend import reach

    for kind in (Base, Part, Whole):
        for name in hiding.NAMES:
            if name in vars(kind):
                monkeypatch.setattr(kind, name, vars(kind)[name])
    model, x = Whole(), torch.ones(2)
    wanted = model(x)
    functions = {vars(kind)[name] for kind in (Base, Part, Whole) for name in hiding.NAMES
                 if name in vars(kind)}  # fmt: skip
    assert functions <= set(reach.reached(model))
    hidden = hiding.Hiding(ways)
    hidden.before(model)
    assert sum(hidden.count.values()) == len(functions) == 4
    assert not functions & set(reach.reached(model))
    hidden.after(model)
    assert torch.equal(model(x), wanted)


def test_a_hidden_row_is_whole_through_evidence_alone():
    found = workers.probe("biogpt", "mended", TIMEOUT, hide="mixed")
    assert found.failure == ""
    assert found.facts["hidden"] > 4
    assert found.facts["known_before"] == 0
    assert found.facts["report"]["found"] > 0
    assert found.facts["fullgraph"] is True
    assert {step["calls"] for step in found.facts["steps"].values()} == {1}
