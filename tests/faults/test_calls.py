"""Wrong use, foreign callables, unsupported versions, and defects inside: never a wrong result."""

from __future__ import annotations

import copy
import functools
import math
import operator
import subprocess
import sys
from types import SimpleNamespace

import graphmend
import pytest
import torch
from graphmend import dynamo, mending

MODULE = """\
import torch


def forward(x):
    x = x * 1
    if x.sum() > 0:
        x = x * 2
    print(x.shape)
    return x + 1


class Model(torch.nn.Module):
    def forward(self, x):
        return forward(x)
"""
ROWS = [torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -9.0])]


def results(function):
    return [function(row.clone()).tolist() for row in ROWS]


# -- arguments


def same_error(arguments, keywords):
    with pytest.raises(Exception) as wanted:  # noqa: PT011 - any error, compared below
        torch.compile(*arguments, **keywords)
    with pytest.raises(wanted.type) as got:
        graphmend.compile(*arguments, **keywords)
    assert str(got.value).replace("graphmend.", "torch.") == str(wanted.value)


@pytest.mark.parametrize(
    "keywords",
    [
        {"backend": "no_such_backend"},
        {"mode": "reduce-overhead", "options": {}},
        {"mode": "no-such-mode"},
        {"options": {"no_such_option": 1}},
    ],
    ids=["backend", "mode-and-options", "mode", "option"],
)
def test_wrong_arguments_fail_as_with_torch(loaded, keywords):
    same_error((loaded(MODULE).forward,), keywords)


def test_unknown_argument(loaded):
    with pytest.raises(TypeError, match="no_such_argument"):
        graphmend.compile(loaded(MODULE).forward, no_such_argument=1)


@pytest.mark.parametrize("thing", [3, "text", [1], object()], ids=["int", "str", "list", "object"])
def test_what_is_not_callable(thing):
    same_error((thing,), {})


def test_as_a_decorator(loaded):
    module = loaded(MODULE)
    wanted = results(module.forward)
    assert results(graphmend.compile(backend="eager", fullgraph=True)(module.forward)) == wanted


def test_disabled_by_argument(loaded):
    module = loaded(MODULE)
    code = module.forward.__code__
    compiled = graphmend.compile(module.forward, disable=True)
    assert results(compiled) == results(module.forward)
    assert module.forward.__code__ is code


def test_report_of_something_else():
    with pytest.raises(TypeError, match=r"graphmend\.compile"):
        graphmend.report(torch.compile(lambda x: x))


# -- foreign callables


@pytest.mark.parametrize("function", [torch.add, torch.neg, torch.nn.functional.relu, operator.neg])
def test_functions_that_are_not_python_code(function):
    arguments = (ROWS[0],) * (2 if function is torch.add else 1)
    compiled = graphmend.compile(function, backend="eager")
    assert torch.equal(compiled(*arguments), function(*arguments))
    assert graphmend.report(compiled).sites == []


def test_builtin_function():
    assert graphmend.compile(math.sqrt, backend="eager")(4.0) == 2.0


def test_module_of_torch():
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    compiled = graphmend.compile(model, backend="eager", fullgraph=True)
    assert results(compiled) == results(model)


@pytest.mark.parametrize("kind", ["partial", "object", "method", "class"])
def test_other_callables(loaded, kind):
    module = loaded(MODULE)
    model = module.Model()
    callables = {
        "partial": functools.partial(module.forward),
        "object": model,
        "method": model.forward,
        "class": model.__call__,
    }
    wanted = results(callables[kind])
    compiled = graphmend.compile(callables[kind], backend="eager")
    assert results(compiled) == wanted


def test_compiled_twice(loaded):
    module = loaded(MODULE)
    wanted = results(module.forward)
    once = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    twice = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    again = graphmend.compile(once, backend="eager", fullgraph=True)
    assert results(once) == results(twice) == results(again) == wanted


def test_copies_of_a_compiled_module(loaded):
    model = loaded(MODULE).Model()
    wanted = results(model)
    compiled = graphmend.compile(model, backend="eager", fullgraph=True)
    assert results(copy.deepcopy(compiled)) == wanted
    assert results(compiled) == wanted


# -- versions


def test_unsupported_torch_is_refused(loaded, monkeypatch):
    module = loaded(MODULE)
    code = module.forward.__code__
    monkeypatch.setattr(dynamo, "_installed", False)
    monkeypatch.setattr(torch, "__version__", "1.13.1")
    monkeypatch.setattr(dynamo, "_NEEDED", {"torch._no_such_module": ("a",), "torch": ("no_such",)})
    with pytest.raises(dynamo.UnsupportedTorch, match=r"1\.13\.1") as refused:
        graphmend.compile(module.forward, backend="eager")
    assert "torch._no_such_module" in str(refused.value)
    assert "torch.no_such" in str(refused.value)
    assert module.forward.__code__ is code


def test_another_torch_that_has_all_that_is_needed(monkeypatch):
    monkeypatch.setattr(torch, "__version__", "2.14.0")
    assert dynamo.problem() == ""


# -- defects inside


class BrokenCore:
    """A core that goes wrong in one of several ways, where the real one would mend."""

    def __init__(self, way):
        import graphmend._core

        self.way = way
        self.real = graphmend._core

    def impurity_of_function(self, *arguments, **keywords):
        return self.real.impurity_of_function(*arguments, **keywords)

    def mend_function(self, *arguments, **keywords):
        answer = self.real.mend_function(*arguments, **keywords)
        if answer.status != "mended":
            return answer
        if self.way == "raises":
            raise RuntimeError("injected")
        fields = ("status", "message", "original_text", "original_lines", "text", "lines", "sites")
        made = SimpleNamespace(**{name: getattr(answer, name) for name in fields})
        if self.way == "no-syntax":
            made.text = made.text.replace("if ", "if if ", 1)
        elif self.way == "other-name":
            made.text = made.text.replace("def forward", "def backward", 1)
        elif self.way == "no-lines":
            made.lines = []
        elif self.way == "other-original":
            made.original_text = made.original_text.replace("* 2", "* 3")
        elif self.way == "empty":
            made.text = ""
        elif self.way == "other-status":
            made.status = "surprise"
        elif self.way == "none":
            return None
        return made


WAYS = [
    "raises",
    "no-syntax",
    "other-name",
    "no-lines",
    "other-original",
    "empty",
    "other-status",
    "none",
]


@pytest.mark.parametrize("way", WAYS)
def test_core_with_a_defect(loaded, monkeypatch, way):
    module = loaded(MODULE)
    wanted = results(module.forward)
    code = module.forward.__code__
    monkeypatch.setattr(mending, "core", BrokenCore(way))
    compiled = graphmend.compile(module.forward, backend="eager")
    assert module.forward.__code__ is code
    assert results(compiled) == wanted
    untouched = graphmend.report(compiled).untouched
    if way != "other-status":
        assert [item.function for item in untouched] == ["forward"]
        assert untouched[0].reason


def test_core_that_cannot_be_imported(loaded, monkeypatch):
    module = loaded(MODULE)
    wanted = results(module.forward)
    monkeypatch.setattr(mending, "core", None)
    monkeypatch.setitem(sys.modules, "graphmend._core", None)
    compiled = graphmend.compile(module.forward, backend="eager")
    assert results(compiled) == wanted
    reasons = [item.reason for item in graphmend.report(compiled).untouched]
    assert any("graphmend._core" in reason for reason in reasons), reasons


@pytest.mark.parametrize("name", ["select", "run"])
def test_handler_with_a_defect(loaded, monkeypatch, name, capsys):
    from graphmend.dynamo import handlers

    def broken(*arguments, **keywords):
        raise RuntimeError("injected")

    module = loaded(MODULE)
    wanted = results(module.forward)
    printed = capsys.readouterr().out
    monkeypatch.setitem(handlers._STATEMENTS, name, broken)
    compiled = graphmend.compile(module.forward, backend="eager")
    assert results(compiled) == wanted
    assert capsys.readouterr().out == printed
    reasons = [site.reason for site in graphmend.report(compiled).sites]
    assert any("injected" in reason for reason in reasons), reasons


# -- putting back


def test_disabled_puts_the_originals_back(loaded):
    module = loaded(MODULE)
    code = module.forward.__code__
    wanted = results(module.forward)
    compiled = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    mended = module.forward.__code__
    assert mended is not code
    assert results(compiled) == wanted
    with graphmend.disabled():
        assert module.forward.__code__ is code
        assert not hasattr(module, "__graphmend__")
        assert results(module.forward) == wanted
        plain = torch.compile(module.forward, backend="eager")
        assert results(plain) == wanted
    assert module.forward.__code__ is mended
    assert results(compiled) == wanted


def test_plain_compile_beside_ours_is_plain(loaded):
    """A callable that torch.compile made is not mended, although the functions are."""
    module = loaded(MODULE)
    wanted = results(module.forward)
    graphmend.compile(module.forward, backend="eager")
    plain = torch.compile(module.forward, backend="eager", fullgraph=True)
    with pytest.raises(torch._dynamo.exc.Unsupported):
        plain(ROWS[0])
    torch._dynamo.reset()
    assert results(torch.compile(module.forward, backend="eager")) == wanted


@pytest.mark.parametrize("strict", [False, True])
def test_export_holds_no_operator_of_ours(loaded, strict):
    text = MODULE.replace("    print(x.shape)\n", "").replace(
        "x.sum() > 0", "x.dim() and x.sum() > 0"
    )
    text = text.replace("        x = x * 2\n", "        x = torch.clamp(x, max=1.0)\n")
    module = loaded(text)
    model = module.Model()
    graphmend.compile(model, backend="eager", fullgraph=True)(ROWS[0])
    with pytest.raises(Exception, match=r"(?i)data-dependent"):
        torch.export.export(model, (ROWS[0],), strict=strict)


@pytest.mark.slow
def test_without_assertions(tmp_path):
    """Under -O assertions don't run, mended or not."""
    (tmp_path / "program.py").write_text(
        "import torch, graphmend\n"
        "def check(x):\n"
        "    assert x.sum() > 0, 'negative'\n"
        "    if x.sum() > 9:\n"
        "        x = x + 1\n"
        "    return x * 2\n"
        "compiled = graphmend.compile(check, backend='eager', fullgraph=True)\n"
        "print(compiled(-torch.ones(2)).tolist())\n"
        "print([site.mend for site in graphmend.report(compiled).sites])\n"
    )
    command = [sys.executable, "-O", str(tmp_path / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "[-2.0, -2.0]\n['select']\n"
