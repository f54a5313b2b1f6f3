"""Verification: a wrong mend is found, taken back, and told; a right one changes nothing."""

from __future__ import annotations

import importlib.util
import itertools
import json
import logging
import random
import subprocess
import sys
import textwrap
import warnings

import graphmend
import pytest
import torch
from graphmend import mending, swap, verify

from tests.use.programs import environment

_numbers = itertools.count()
HEAD = "import logging, random, warnings\nimport torch\nlogger = logging.getLogger('verified')\n"
TEXT = (
    HEAD
    + """
COUNT = 0


class Model(torch.nn.Module):
    calls = 0

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)
        self.register_buffer("total", torch.zeros(2))
        self.seen = []

    def forward(self, x):
        global COUNT
        COUNT += 1
        Model.calls += 1
        self.seen.append(COUNT)
        self.total += 1
        x = self.linear(x) * 1
        if x.sum() > 0:
            x = x + 1
        print("seen", tuple(x.shape))
        logger.warning("told %s", tuple(x.shape))
        warnings.warn("careful")
        return x * 2
"""
)


class Wrong:
    """A core whose mends are wrong: it replaces words of the mended text."""

    def __init__(self, old, new):
        self.real = mending.the_core()
        self.Source = self.real.Source
        self.old, self.new = old, new

    def mend_function(self, *args, **kwargs):
        return _Answer(self.real.mend_function(*args, **kwargs), self.old, self.new)

    def impurity_of_function(self, *args, **kwargs):
        return self.real.impurity_of_function(*args, **kwargs)


class _Answer:
    def __init__(self, answer, old, new):
        self.answer = answer
        head, gate, tail = answer.text.partition("__graphmend__.active()")
        inner, other, rest = tail.partition("else:")
        self.text = head + gate + inner.replace(old, new) + other + rest

    def __getattr__(self, name):
        return getattr(self.answer, name)


@pytest.fixture(autouse=True)
def _clean(tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHMEND_REPRODUCERS", str(tmp_path / "reproducers"))
    mending.core = None
    torch._dynamo.reset()
    torch.manual_seed(0)
    yield
    swap.restore()
    mending.core = None
    torch._dynamo.reset()


@pytest.fixture
def program(tmp_path):
    def load(text=TEXT):
        name = f"verified_{next(_numbers)}"
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load


def observe(module, model, function, rows, capsys, caplog):
    """All that some calls show."""
    torch.manual_seed(1)
    caplog.clear()
    capsys.readouterr()
    results = []
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for row in rows:
            for parameter in model.parameters():
                parameter.grad = None
            result = function(row.clone())
            result.sum().backward()
            gradients = [p.grad.tolist() for p in model.parameters()]
            results.append((result.tolist(), gradients))
    told = [str(w.message) for w in told if not issubclass(w.category, verify.DifferenceWarning)]
    records = [r.getMessage() for r in caplog.records if r.name == "verified"]
    state = module.COUNT, module.Model.calls, list(model.seen), model.total.tolist()
    return results, capsys.readouterr().out, records, told, state, torch.rand(1).item()


ROWS = [torch.tensor([[1.0, 2.0]]), torch.tensor([[-3.0, -2.0]]), torch.tensor([[3.0, 4.0]])]


def call_all(function):
    for row in ROWS:
        function(row)


def made(program, **arguments):
    module = program()
    torch.manual_seed(0)
    model = module.Model()
    return module, model, graphmend.compile(model, **arguments) if arguments else model


@pytest.mark.parametrize("how", ["first", "sample", "always"])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_a_right_mend_shows_nothing(program, capsys, caplog, how, backend):
    wanted = observe(*made(program), ROWS, capsys, caplog)
    module, model, compiled = made(program, backend=backend, verify=how)
    with warnings.catch_warnings():
        warnings.simplefilter("error", verify.DifferenceWarning)
        got = observe(module, model, compiled, ROWS, capsys, caplog)
    assert got == wanted
    assert not graphmend.report(compiled).off


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("x + 1", "x + 2", "result"),
        ("x + 1", "x.detach() + 1", "requires_grad"),
        ("x + 1", "x + torch.rand(1) * 0 + 1", "random"),
    ],
    ids=["value", "gradient", "random"],
)
def test_a_wrong_mend_is_taken_back(program, capsys, caplog, old, new, words):
    wanted = observe(*made(program), ROWS, capsys, caplog)
    mending.core = Wrong(old, new)
    module, model, compiled = made(program, backend="eager", verify="always")
    got = observe(module, model, compiled, ROWS, capsys, caplog)
    assert got == wanted
    report = graphmend.report(compiled)
    assert words in report.off
    assert "all mends are taken back" in str(report)


def test_what_dynamo_tells_is_no_difference(program, capsys, monkeypatch):
    """It warns of builtins that it can't trace, once, on stderr: the program does not."""
    text = TEXT.replace("        return x * 2\n", "        return x * 2 * (sys.getsizeof(x) > 0)\n")
    text = text.replace("import logging,", "import sys, logging,")
    torch._dynamo.utils.warn_once_cache.clear()
    module = program(text)
    torch.manual_seed(0)
    model = module.Model()
    compiled = graphmend.compile(model, backend="eager", verify="always")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.simplefilter("error", verify.DifferenceWarning)
        monkeypatch.setattr(warnings, "showwarning", lambda text, *_: print(text, file=sys.stderr))
        call_all(compiled)
    assert "Dynamo does not know how to trace" in capsys.readouterr().err
    assert not graphmend.report(compiled).off


def test_warned_once(program):
    mending.core = Wrong("x + 1", "x + 2")
    _, _, compiled = made(program, backend="eager", verify="always")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for _ in range(3):
            call_all(compiled)
    told = [w for w in told if issubclass(w.category, verify.DifferenceWarning)]
    assert len(told) == 1
    assert "graphmend replay" in str(told[0].message)
    assert told[0].filename == __file__


def test_without_verification_the_wrong_mend_shows(program):
    """So the tests above show something."""
    mending.core = Wrong("x + 1", "x + 2")
    _, model, compiled = made(program, backend="eager")
    row = ROWS[0]
    assert not torch.equal(compiled(row), model(row)) or model.linear(row).sum() <= 0


def test_effects_that_differ(program):
    text = HEAD + "def forward(x):\n    print('a', x.shape)\n    return x + 1\n"
    mending.core = Wrong("", "")
    module = program(text)
    compiled = graphmend.compile(module.forward, backend="eager", verify="always")
    compiled(torch.ones(2))
    assert not graphmend.report(compiled).off
    swap.restore()
    torch._dynamo.reset()
    mending.core = Wrong("'a'", "'b'")
    module = program(text)
    compiled = graphmend.compile(module.forward, backend="eager", verify="always")
    compiled(torch.ones(2))


def test_exceptions_are_the_originals(program):
    text = HEAD + (
        "def forward(x):\n    x.add_(1)\n    if x.sum() > 5:\n        raise ValueError('large')\n"
        "    return x\n"
    )
    module = program(text)
    compiled = graphmend.compile(module.forward, backend="eager", verify="always")
    x = torch.ones(2)
    assert compiled(x).tolist() == [2, 2]
    with pytest.raises(ValueError, match=r"^large$"):
        compiled(x)
    assert x.tolist() == [3, 3]
    assert not graphmend.report(compiled).off


def test_first_means_two_calls_of_each_variant(program):
    module = program(HEAD + "def forward(x):\n    print('a')\n    return x + 1\n")
    compiled = graphmend.compile(module.forward, backend="eager", verify="first")
    checker = compiled.__closure__
    found = [c.cell_contents for c in checker if isinstance(c.cell_contents, verify.Verifier)]
    verifier = found[0]
    for _ in range(5):
        compiled(torch.ones(2))
    once = verifier.verified
    assert 2 <= once <= 3
    for _ in range(5):
        compiled(torch.ones(2, dtype=torch.float64))
    assert once + 2 <= verifier.verified <= once + 4


def test_what_cannot_be_put_back_is_not_verified(program, caplog):
    module = program(HEAD + "def forward(x, it):\n    print('a')\n    return x + 1\n")
    compiled = graphmend.compile(module.forward, backend="eager", verify="always")
    items = iter([1, 2])
    with caplog.at_level(logging.WARNING):
        compiled(torch.ones(2), items)
        compiled(torch.ones(2), items)
    assert [r.getMessage() for r in caplog.records if "not verified" in r.getMessage()] == [
        "a call was not verified: the call can reach an iterator (list_iterator)"
    ]
    assert list(items) == [1, 2]


def test_random_numbers_are_the_originals(program):
    module = program(
        HEAD + "def forward(x):\n    print('a')\n    return x + torch.rand(2) + random.random()\n"
    )
    compiled = graphmend.compile(module.forward, backend="eager", verify="always")
    outcomes = []
    for function in (module.forward, compiled):
        torch.manual_seed(3)
        random.seed(3)
        outcomes.append([function(torch.ones(2)).tolist() for _ in range(3)])
    assert outcomes[0] == outcomes[1]
    assert not graphmend.report(compiled).off


def test_wrong_choice():
    with pytest.raises(ValueError, match="verify='sometimes' is none of 'first'"):
        graphmend.compile(torch.nn.Linear(2, 2), verify="sometimes")


def test_environment_variable(program, monkeypatch):
    monkeypatch.setenv("GRAPHMEND_VERIFY", "always")
    mending.core = Wrong("x + 1", "x + 2")
    _, _, compiled = made(program, backend="eager")
    with pytest.warns(verify.DifferenceWarning):
        call_all(compiled)


def test_replay(program, tmp_path):
    mending.core = Wrong("x + 1", "x + 2")
    _, _, compiled = made(program, backend="eager", verify="always")
    with pytest.warns(verify.DifferenceWarning):
        call_all(compiled)
    (folder,) = (tmp_path / "reproducers").iterdir()
    description = json.loads((folder / "reproducer.json").read_text())
    assert "result" in description["difference"]
    assert description["environment"]["torch"] == torch.__version__
    moved = folder.rename(tmp_path / "elsewhere")
    for source in tmp_path.glob("verified_*.py"):
        source.unlink()  # only the copy is left

    def replay(prelude=""):
        return subprocess.run(
            [
                sys.executable,
                "-c",
                f"{prelude}\nimport sys\nfrom graphmend.cli import main\n"
                f"sys.exit(main(['replay', {str(moved)!r}]))",
            ],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    right = replay()
    assert right.returncode == 0, right.stderr
    assert "agrees with the original" in right.stdout
    here = str(tmp_path.parent)
    root = str(__file__).rsplit("/tests/", 1)[0]
    wrong = replay(
        f"import sys; sys.path.insert(0, {root!r})\n"
        "from graphmend import mending\nfrom tests.verify.test_verify import Wrong\n"
        "mending.core = Wrong('x + 1', 'x + 2')"
    )
    assert wrong.returncode == 1, wrong.stderr + here
    assert "the mended call differs" in wrong.stdout


def test_replay_of_no_folder(tmp_path):
    from graphmend.cli import main

    assert main(["replay", str(tmp_path)]) == 2
