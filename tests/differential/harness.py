"""Runs a program of ``programs/`` in one of several ways and records all that can be seen of it.

A program is a Python file with ``make()``, which returns a callable and a list of argument tuples
that reach every outcome. Each run imports the file anew. Comments at the start of the file say
what must happen under :func:`graphmend.compile`:

``# whole``                    one graph, one call of the backend for each call
``# left: REASON``             a site stays as it is, for a reason that holds these words
``# training: whole``          the same with gradients, in training; without such a line the
``# training: left: REASON``   program is not run in training
``# inductor``                 also run under inductor
``# known: REASON``            compiled, the program differs from the original, for this reason
"""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import io
import logging
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from tests.differential import values

PROGRAMS = Path(__file__).resolve().parent / "programs"
_TORCH = os.path.dirname(torch.__file__)

Wrap = Callable[[Any], Callable[..., Any]]


@dataclass(frozen=True)
class Program:
    """One program file."""

    path: Path

    @cached_property
    def headers(self) -> list[str]:
        """The comments at the start of the file."""
        found = []
        for line in self.path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("# "):
                break
            found.append(line[2:].strip())
        return found

    def expected(self, training: bool) -> str | None:
        """``whole`` or ``left: REASON``; None when the program is not run this way."""
        for header in self.headers:
            if training and header.startswith("training: "):
                return header.removeprefix("training: ")
            if not training and (header == "whole" or header.startswith("left: ")):
                return header
        return None

    @cached_property
    def known(self) -> str:
        """Why the compiled program is known to differ; empty when it does not."""
        found = [header for header in self.headers if header.startswith("known: ")]
        return found[0].removeprefix("known: ") if found else ""

    def load(self) -> ModuleType:
        """The file, imported anew."""
        name = f"differential_{self.path.stem}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module


def programs() -> list[Program]:
    """Every program, in the order of the names."""
    return [Program(path) for path in sorted(PROGRAMS.glob("*.py"))]


@dataclass
class Step:
    """All that one call does."""

    exception: Any = None
    output: Any = None
    same: Any = None
    """Which tensors of arguments, state and output are one and the same."""
    tape: Any = None
    """Text written, log records and warnings, in order."""
    arguments: Any = None
    state: Any = None
    gradients: Any = None
    random: Any = None


def run(program: Program, wrap: Wrap, training: bool, after: Callable[[], None] = lambda: None):
    """Import the program, wrap its callable, and make every call in order."""
    values.seed(1)
    module = program.load()
    target, inputs = module.make()
    call = wrap(target)
    steps = []
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for number, arguments in enumerate(inputs):
            steps.append(_step(program, module, target, call, arguments, number, training))
            after()
    return steps


def _step(
    program: Program,
    module: ModuleType,
    target: Any,
    call: Callable[..., Any],
    arguments: tuple[Any, ...],
    number: int,
    training: bool,
) -> Step:
    arguments = copy.deepcopy(arguments)
    leaves = list(values.tensors(arguments))
    if isinstance(target, torch.nn.Module):
        leaves += list(target.parameters())
    for leaf in leaves:
        leaf.grad = None
        if training and leaf.is_floating_point():
            leaf.requires_grad_()
    step, tape, output = Step(), Tape(program.path), None
    values.seed(100 + number)
    with tape.recording(), torch.set_grad_enabled(training):
        try:
            output = call(*arguments)
        except Exception as problem:
            step.exception = describe(problem, program.path)
    step.random = values.random_state()
    step.output = values.freeze(output)
    if training and step.exception is None:
        step.exception = _backward(output, program.path)
        step.gradients = [values.freeze(leaf.grad) for leaf in leaves]
    state = list(_state(module, target))
    step.tape = tape.events
    step.arguments = values.freeze(arguments)
    step.state = [(name, values.freeze(value)) for name, value in state]
    step.same = values.identities([("argument", arguments), *state, ("output", output)])
    return step


def _backward(output: Any, path: Path) -> Any:
    terms = []
    for number, tensor in enumerate(values.tensors(output)):
        if tensor.requires_grad:
            weight = torch.cos(torch.arange(tensor.numel(), dtype=torch.float64) + number)
            terms.append((tensor * weight.reshape(tensor.shape).to(tensor.dtype)).sum())
    if not terms:
        return None
    try:
        torch.stack([term.double() for term in terms]).sum().backward()
    except Exception as problem:
        return ("backward", describe(problem, path))
    return None


def _state(module: ModuleType, target: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(target, torch.nn.Module):
        yield from values.module_state(target)
    for name, value in sorted(vars(module).items()):
        if not name.startswith("__") and not isinstance(value, (ModuleType, logging.Logger)):
            yield f"global {name}", value
    probe = getattr(module, "probe", None)
    if probe is not None:
        yield "probe", probe()


def describe(problem: BaseException, path: Path) -> Any:
    """An exception: its classes, its text, its lines in the program, and what it came from."""
    classes = [kind.__qualname__ for kind in type(problem).__mro__[:-2]]
    frames = traceback.extract_tb(problem.__traceback__)
    places: list[tuple[int | None, str]] = []
    for frame in frames:
        if frame.filename == str(path):
            name = resumed(frame.name)
            if name != frame.name and places and places[-1][1] == name:
                places.pop()  # where a graph broke, Dynamo goes on in a function of its own
            places.append((frame.lineno, name))
    cause = problem.__cause__
    return (
        tuple(classes),
        str(problem),
        tuple(places),
        problem.__suppress_context__,
        describe(cause, path) if cause is not None else None,
    )


def resumed(name: str) -> str:
    """The function of the program that a function made by Dynamo goes on with."""
    return re.sub(r"^torch_dynamo_resume_in_(.*)_at_\d+$", r"\1", name)


class Tape:
    """What is written, logged and warned, in the order in which it happens."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events: list[tuple[Any, ...]] = []

    def write(self, stream: str, text: str) -> None:
        """Text for a stream; pieces that follow each other are one event."""
        if self.events and self.events[-1][0] == stream:
            self.events[-1] = (stream, self.events[-1][1] + text)
        elif text:
            self.events.append((stream, text))

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record all that happens meanwhile."""
        handler, root = _Handler(self), logging.getLogger()
        level, show = root.level, warnings.showwarning
        root.addHandler(handler)
        root.setLevel(logging.INFO)
        warnings.showwarning = self._warning
        try:
            with (
                contextlib.redirect_stdout(_Stream(self, "out")),
                contextlib.redirect_stderr(_Stream(self, "err")),
            ):
                yield
        finally:
            warnings.showwarning = show
            root.setLevel(level)
            root.removeHandler(handler)

    def _warning(self, message: Any, category: Any, filename: str, lineno: int, *_: Any) -> None:
        # What torch itself warns of, it warns of once in a process.
        if not filename.startswith(_TORCH) and "Triggered internally" not in str(message):
            self.events.append(("warning", category.__name__, str(message), filename, lineno))


class _Stream(io.TextIOBase):
    def __init__(self, tape: Tape, name: str) -> None:
        self.tape = tape
        self.name = name

    def write(self, text: str) -> int:
        self.tape.write(self.name, text)
        return len(text)


class _Handler(logging.Handler):
    def __init__(self, tape: Tape) -> None:
        super().__init__()
        self.tape = tape

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("torch"):
            return
        error = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else None
        self.tape.events.append(
            (
                "log",
                record.name,
                record.levelname,
                record.msg,
                values.freeze(record.args),
                record.getMessage(),
                record.pathname,
                record.lineno,
                resumed(record.funcName),
                error,
                getattr(record, "extra", None),
            )
        )


@dataclass
class Counting:
    """A backend that counts graphs and the calls of them."""

    name: str
    graphs: int = 0
    calls: int = 0
    operators: list[str] = field(default_factory=list)

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        self.graphs += 1
        self.operators += [str(n.target) for n in graph.graph.nodes if n.op.startswith("call_")]
        inner = torch._dynamo.lookup_backend(self.name)(graph, inputs)

        def counted(*arguments: Any) -> Any:
            self.calls += 1
            return inner(*arguments)

        return counted


def differences(
    wanted: list[Step], got: list[Step], close: bool = False, without: tuple[str, ...] = ()
) -> list[str]:
    """The first difference of each call."""
    assert len(wanted) == len(got)
    found = []
    for number, (left, right) in enumerate(zip(wanted, got, strict=True)):
        for name in (item.name for item in fields(Step) if item.name not in without):
            one, two = getattr(left, name), getattr(right, name)
            text = values.difference(one, two, f"call {number}: {name}", close)
            if text:
                found.append(text)
                break
    return found
