"""Run one program eagerly, mended eagerly, and mended and compiled; everything seen must agree."""

from __future__ import annotations

import contextlib
import copy
import importlib.util
import io
import itertools
import logging
import math
import operator
import random
import sys
import textwrap
import warnings
from dataclasses import dataclass, field

import fake_core
import graphmend
import torch
from graphmend import mending, swap

_numbers = itertools.count()
HEAD = "import logging, random, warnings, functools\nimport torch\n"


@dataclass
class Seen:
    """What one call showed to the outside."""

    result: object = None
    error: tuple = ()
    tape: list = field(default_factory=list)
    state: list = field(default_factory=list)
    gradients: list = field(default_factory=list)
    rng: tuple = ()


def load(directory, text):
    """A fresh module from source; the same text gives the same path each time."""
    path = directory / "program.py"
    source = HEAD + textwrap.dedent(text)
    if not path.exists() or path.read_text() != source:
        path.write_text(source)
    name = f"program_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@contextlib.contextmanager
def tape():
    events = []

    class Out(io.TextIOBase):
        def write(self, text):
            if events and events[-1][0] == "out":
                events[-1] = ("out", events[-1][1] + text)
            elif text:
                events.append(("out", text))
            return len(text)

    class Handler(logging.Handler):
        def emit(self, record):
            if record.name.startswith("program"):
                events.append(
                    (
                        "log",
                        record.levelname,
                        record.getMessage(),
                        record.pathname,
                        record.lineno,
                        record.funcName,
                    )
                )

    def show(message, category, filename, lineno, file=None, line=None):
        if "torch" not in filename:
            events.append(("warn", category.__name__, str(message), filename, lineno))

    handler, root = Handler(), logging.getLogger()
    old, level = warnings.showwarning, root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(Out()):
            warnings.simplefilter("default")
            warnings.showwarning = show
            yield events
    finally:
        warnings.showwarning = old
        root.removeHandler(handler)
        root.setLevel(level)


@dataclass(frozen=True)
class Numbers:
    """What a tensor holds: equal when it prints the same, so that NaN equals NaN."""

    text: str
    items: list = field(compare=False, repr=False)


def freeze(value):
    if isinstance(value, torch.Tensor):
        kind = str(value.dtype), tuple(value.shape), value.requires_grad
        items = value.detach().clone().contiguous().view(-1).tolist()
        return kind, Numbers(repr(items), items)
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [freeze(item) for item in value]
    if isinstance(value, dict):
        return type(value).__name__, {key: freeze(item) for key, item in value.items()}
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return repr(value)


def state_of(target, module):
    found = {}
    if isinstance(target, torch.nn.Module):
        skip = set(vars(torch.nn.Module())) - {"training", "_buffers", "_parameters"}
        skip |= {"_is_torch_compile"}
        for name, part in target.named_modules():
            for key, value in sorted(vars(part).items()):
                if key not in skip:
                    found[f"{name}.{key}"] = freeze(value)
    for key, value in sorted(vars(module).items()):
        if key.isupper():
            found[key] = freeze(value)
    return sorted(found.items())


def run(directory, text, inputs, wrap, *, train=False, copies=1):
    """Every input in order on one fresh program; ``wrap`` makes the callable."""
    torch._dynamo.reset()
    torch.manual_seed(0)
    module = load(directory, text)
    target = module.make()
    call = wrap(target)
    seen = []
    for number, arguments in enumerate(inputs):
        torch.manual_seed(number)
        random.seed(number)
        arguments = copy.deepcopy(arguments)
        if train:
            for value in arguments:
                if isinstance(value, torch.Tensor) and value.is_floating_point():
                    value.requires_grad_()
        entry = Seen()
        with tape() as events:
            try:
                result = call(*arguments)
                entry.result = freeze(result)
                if train:
                    result.sum().backward()
            except Exception as error:
                entry.error = type(error).__name__, str(error)
        parameters = list(target.parameters()) if isinstance(target, torch.nn.Module) else []
        if train:
            leaves = [v for v in arguments if isinstance(v, torch.Tensor)] + parameters
            entry.gradients = [freeze(leaf.grad) for leaf in leaves]
            for leaf in parameters:
                leaf.grad = None
        entry.tape = list(events)
        entry.state = [freeze(list(arguments)), state_of(target, module)]
        entry.rng = torch.get_rng_state().sum().item(), random.random()
        seen.append(entry)
    return seen, module


def check(
    directory,
    text,
    inputs,
    *,
    backends=("eager", "aot_eager"),
    train=False,
    fullgraph=True,
    mended=True,
):
    """Compare every way of running; returns the report of the last."""
    report = None
    for training in (False, True) if train else (False,):
        plain = run(directory, text, inputs, lambda t: t, train=training)[0]
        mending.core = fake_core.FakeCore()

        def eager(target):
            graphmend.compile(target, backend="eager")
            return target

        again = run(directory, text, inputs, eager, train=training)[0]
        assert again == plain, difference(again, plain)
        for backend in backends:
            holder = []

            def compiled(target, backend=backend, holder=holder):
                made = graphmend.compile(target, backend=backend, fullgraph=fullgraph)
                holder.append(made)
                return made

            found = run(directory, text, inputs, compiled, train=training)[0]
            report = graphmend.report(holder[0])
            # Inductor contracts and reorders sums as the processor allows.
            same = rounded if backend == "inductor" else operator.eq
            assert same(found, plain), f"{backend}: {difference(found, plain, same)}\n{report}"
            if mended:
                assert all(site.status == "mended" for site in report.sites), str(report)
                assert report.sites
    return report


def rounded(left, right):
    """Equal but for the last digits of the numbers that tensors hold."""
    if isinstance(left, Seen) and isinstance(right, Seen):
        return rounded(list(vars(left).values()), list(vars(right).values()))
    if isinstance(left, Numbers) and isinstance(right, Numbers):
        return len(left.items) == len(right.items) and all(
            repr(one) == repr(two) or math.isclose(one, two, rel_tol=1e-5)
            for one, two in zip(left.items, right.items, strict=True)
        )
    if isinstance(left, dict) and isinstance(right, dict):
        return rounded(sorted(left.items()), sorted(right.items()))
    if isinstance(left, (list, tuple)) and type(left) is type(right):
        return len(left) == len(right) and all(map(rounded, left, right))
    return left == right


def difference(found, wanted, same=operator.eq):
    """The first thing that differs, as text."""
    for number, (left, right) in enumerate(zip(found, wanted, strict=True)):
        for name in vars(right):
            mine, theirs = getattr(left, name), getattr(right, name)
            if not same(mine, theirs):
                return f"{left.error} {right.error} call {number}, {name}:\n  {mine}\n  {theirs}"
    return ""


def restore():
    """Take every mend out, and forget it."""
    swap.take_out(forget=True)
    mending.forget()
    mending.core = None
    torch._dynamo.reset()
