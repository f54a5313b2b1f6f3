"""Every program: original eager, mended eager, mended and compiled, in inference and training."""

from __future__ import annotations

import functools

import graphmend
import pytest
import torch

from tests.differential import harness
from tests.differential.harness import Counting, Program, Step

PROGRAMS = harness.programs()
RUNS = [
    pytest.param(program, training, id=f"{program.path.stem}-{'train' if training else 'infer'}")
    for program in PROGRAMS
    for training in (False, True)
    if program.expected(training) is not None
]
WHOLE = [run for run in RUNS if run.values[0].expected(run.values[1]) == "whole"]
COMPILED = [
    pytest.param(*run.values, id=run.id, marks=pytest.mark.xfail(reason=known, strict=True))
    if (known := run.values[0].known)
    else run
    for run in RUNS
]
every_run = pytest.mark.parametrize(("program", "training"), RUNS)


@pytest.fixture(autouse=True)
def _fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


@functools.cache
def original(program: Program, training: bool) -> list[Step]:
    """What the program does by itself."""
    return harness.run(program, lambda target: target, training)


def test_programs_are_many_and_say_what_must_happen():
    assert len(PROGRAMS) >= 40
    for program in PROGRAMS:
        assert program.expected(False) is not None, program.path.name


@every_run
def test_program_is_deterministic(program, training):
    again = harness.run(program, lambda target: target, training)
    assert harness.differences(original(program, training), again) == []


@every_run
def test_mended_eager_is_the_original(program, training):
    def wrap(target):
        graphmend.compile(target, backend="eager")
        return target

    mended = harness.run(program, wrap, training)
    assert harness.differences(original(program, training), mended) == []


@pytest.mark.parametrize(("program", "training"), WHOLE)
def test_breaks_without_mends(program, training):
    def wrap(target):
        return torch.compile(target, backend="eager", fullgraph=True)

    steps = harness.run(program, wrap, training)
    classes = [step.exception[0] if step.exception else () for step in steps]
    broken = {"TorchDynamoException", "GuardOnDataDependentSymNode"}
    assert any(broken.intersection(kinds) for kinds in classes), classes


def differences_by(backend: str, program: Program, training: bool, steps: list[Step]) -> list[str]:
    """How the steps differ from the original, and from the original under the same backend."""
    rounds = backend == "inductor"
    compare = functools.partial(
        harness.differences, close=rounds, without=("random",) if rounds else ()
    )
    differences = compare(original(program, training), steps)
    if differences and backend != "eager":
        # What this backend itself changes is not ours.
        torch._dynamo.reset()
        plain = harness.run(program, functools.partial(torch.compile, backend=backend), training)
        differences = compare(plain, steps)
    return differences


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize(("program", "training"), COMPILED)
def test_mended_compiled_is_the_original(program, training, backend):
    expected = program.expected(training)
    whole = expected == "whole"
    counting = Counting(backend)
    calls: list[int] = []
    compiled = []

    def wrap(target):
        compiled.append(graphmend.compile(target, backend=counting, fullgraph=whole))
        return compiled[0]

    steps = harness.run(program, wrap, training, lambda: calls.append(counting.calls))
    report = graphmend.report(compiled[0])
    differences = differences_by(backend, program, training, steps)
    assert differences == [], report
    if whole:
        assert calls == list(range(1, len(calls) + 1)), "one call of the backend for each call"
        assert any(site.status == "mended" for site in report.sites), report
        assert any("graphmend" not in name for name in counting.operators)
    else:
        reason = expected.removeprefix("left: ")
        assert any(reason in item.reason for item in [*report.sites, *report.untouched]), report


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "training"), [run for run in WHOLE if "inductor" in run.values[0].headers]
)
def test_mended_under_inductor(program, training):
    def wrap(target):
        return graphmend.compile(target, backend="inductor", fullgraph=True)

    steps = harness.run(program, wrap, training)
    assert differences_by("inductor", program, training, steps) == []
