"""Sources that are not what is running: the original runs, and the report says why."""

from __future__ import annotations

import graphmend
import pytest
import torch

GOOD = """\
import torch


def helper(x):
    return x + 1


def forward(x):
    x = helper(x)
    if x.sum() > 0:
        x = x * 2
    return x + 1
"""
ROWS = [torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -9.0])]


def results(function):
    return [function(row.clone()).tolist() for row in ROWS]


def own(report):
    """The sites that mending the source made, not those that traces came upon."""
    return [site for site in report.sites if site.kind != "host-read"]


def assert_left(compiled, reason, function="forward"):
    """The function was left as it is, and the report says why."""
    report = graphmend.report(compiled)
    reasons = [item.reason for item in report.untouched if item.function.endswith(function)]
    assert any(reason in text for text in reasons), str(report)
    assert not [site for site in own(report) if site.function.endswith(function)]
    assert reason in str(report)
    assert reason in report.to_json()


def test_good_source_is_mended(loaded):
    module = loaded(GOOD)
    wanted = results(module.forward)
    compiled = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    assert results(compiled) == wanted
    assert [site.mend for site in own(graphmend.report(compiled))] == ["select"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (GOOD.replace("    x = helper(x)", "    x = = helper(x)"), "not what is running"),
        (GOOD.replace("if x.sum() > 0:", "if x.sum( > 0:"), "not what is running"),
        (GOOD.replace("x = x * 2", "x = x * 3"), "changed"),
        (GOOD.replace("x.sum() > 0", "x.sum() > 1"), "changed"),
        ("# moved\n" + GOOD, ""),
        (GOOD.replace("import torch\n", ""), ""),
        ("", ""),
        ("\0" * 200, ""),
        ("x = 1\n" * 40, ""),
    ],
    ids=[
        "syntax-error",
        "open-parenthesis",
        "other-constant",
        "other-test",
        "moved-down",
        "moved-up",
        "empty",
        "zeros",
        "other-file",
    ],
)
def test_source_changed_on_disk(loaded, source, text, reason):
    module = loaded(GOOD)
    wanted = results(module.forward)
    source.write(text)
    compiled = graphmend.compile(module.forward, backend="eager")
    assert results(compiled) == wanted
    assert results(module.forward) == wanted
    assert_left(compiled, reason)


def test_same_function_in_a_changed_file(loaded, source):
    """What stands elsewhere in the file does not matter, as long as the function is the same."""
    module = loaded(GOOD)
    wanted = results(module.forward)
    source.write(GOOD + "\n\ndef added():\n    return 1\n")
    compiled = graphmend.compile(module.forward, backend="eager")
    assert results(compiled) == wanted


def test_function_of_that_name_at_that_line_is_another(loaded, source):
    module = loaded(GOOD)
    wanted = results(module.forward)
    source.write(GOOD.replace("x = helper(x)", "x = helper(x, 1)"))
    compiled = graphmend.compile(module.forward, backend="eager")
    assert results(compiled) == wanted
    assert_left(compiled, "changed")


def test_source_deleted(loaded, source):
    module = loaded(GOOD)
    wanted = results(module.forward)
    source.path.unlink()
    compiled = graphmend.compile(module.forward, backend="eager")
    assert results(compiled) == wanted
    assert_left(compiled, "not found")


def test_changed_helper_leaves_the_rest_mended(loaded, source):
    text = GOOD.replace(
        "    return x + 1\n\n\ndef", "    print(x.shape)\n    return x + 1\n\n\ndef"
    )
    module = loaded(text)
    wanted = results(module.forward)
    source.write(text.replace("print(x.shape)", "print(x.dtype)"))
    compiled = graphmend.compile(module.forward, backend="eager")
    assert results(compiled) == wanted
    report = graphmend.report(compiled)
    assert [item.function for item in report.untouched] == ["helper"]
    assert [(site.function, site.mend) for site in own(report)] == [("forward", "select")]


@pytest.mark.parametrize(
    "head", [b"\xef\xbb\xbf", b"# coding: latin-1\n", b"# -*- coding: utf-8 -*-\n"]
)
def test_encodings(loaded, capsys, head):
    latin = b"latin-1" in head
    text = GOOD.replace("    x = helper(x)", '    print("größe", x.shape)\n    x = helper(x)')
    module = loaded(head + text.encode("latin-1" if latin else "utf-8"))
    wanted = results(module.forward)
    printed = capsys.readouterr().out
    compiled = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    assert results(compiled) == wanted
    assert capsys.readouterr().out == printed
    assert "größe" in printed


def test_carriage_returns(loaded):
    module = loaded(GOOD.replace("\n", "\r\n").encode())
    wanted = results(module.forward)
    compiled = graphmend.compile(module.forward, backend="eager", fullgraph=True)
    assert results(compiled) == wanted


def test_executed_text_has_no_source():
    scope: dict = {}
    exec(GOOD, scope)
    wanted = results(scope["forward"])
    compiled = graphmend.compile(scope["forward"], backend="eager")
    assert results(compiled) == wanted
    assert own(graphmend.report(compiled)) == []


def test_executed_text_with_the_name_of_a_file(source):
    source.write("# nothing of it\n")
    scope: dict = {}
    exec(compile(GOOD, str(source.path), "exec"), scope)
    wanted = results(scope["forward"])
    compiled = graphmend.compile(scope["forward"], backend="eager")
    assert results(compiled) == wanted
    assert_left(compiled, "not what is running")


def test_lambdas(loaded):
    module = loaded(GOOD + "\n\nshort = lambda x: forward(x) + (x if x.sum() > 99 else 1)\n")
    wanted = results(module.short)
    compiled = graphmend.compile(module.short, backend="eager")
    assert results(compiled) == wanted
    sites = own(graphmend.report(compiled))
    assert [(site.function, site.mend) for site in sites] == [("forward", "select")]


def test_lambda_that_only_calls(loaded):
    module = loaded(GOOD + "\n\nshort = lambda x: forward(x) + 1\n")
    wanted = results(module.short)
    compiled = graphmend.compile(module.short, backend="eager", fullgraph=True)
    assert results(compiled) == wanted


def test_two_functions_on_one_line(loaded):
    text = """\
    import torch
    def one(x): print(x.shape); return x
    pair = [lambda x: one(x), lambda x: one(x) + 1]; half = pair[0]
    """
    module = loaded(text)
    compiled = graphmend.compile(module.pair[1], backend="eager", fullgraph=True)
    assert results(compiled) == results(module.pair[1])


def test_module_that_uses_the_reserved_name(loaded):
    module = loaded("__graphmend__ = 5\n" + GOOD + "\n\ndef mine():\n    return __graphmend__\n")
    wanted = results(module.forward)
    compiled = graphmend.compile(module.forward, backend="eager")
    assert results(compiled) == wanted
    assert module.mine() == 5
    assert_left(compiled, "__graphmend__")


def test_variables_with_names_of_ours(loaded):
    """Names that mended code would use are the program's own."""
    text = GOOD.replace("x = helper(x)", "__gm_p0 = __gm_h0 = __gm_s0 = helper(x)")
    text = text.replace("    if x.sum", "    x = __gm_p0\n    if x.sum")
    text = text.replace("return x + 1\n", "return x + __gm_p0 + __gm_h0 + __gm_s0\n")
    text = text.replace(
        "    return x + __gm_p0 + __gm_h0 + __gm_s0\n\n\ndef", "    return x + 1\n\n\ndef", 1
    )
    module = loaded(text)
    wanted = results(module.forward)
    compiled = graphmend.compile(module.forward, backend="eager")
    assert results(compiled) == wanted
    reasons = [site.reason for site in own(graphmend.report(compiled))]
    assert reasons
    assert all("__gm_" in reason or "mended code" in reason for reason in reasons)
