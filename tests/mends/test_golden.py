"""Golden cases: the mended text, its line map, and what holds for every mended function."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from graphmend import source

from tests.mends.support import GOLDEN, cases, render

CASES = cases(GOLDEN)


@pytest.fixture(scope="module", params=CASES, ids=lambda case: case.path.stem)
def case(request):
    return request.param


@pytest.fixture(scope="module")
def answer(case):
    return case.mend()


def test_text_is_as_expected(case, answer):
    expected = case.path.with_suffix(".txt").read_text(encoding="utf-8")
    assert render(answer) == expected, "see tests/mends/update.py"


def test_every_case_has_its_text_and_every_text_its_case():
    texts = {path.stem for path in GOLDEN.glob("*.txt")}
    assert texts == {case.path.stem for case in CASES}


def test_something_is_mended(answer):
    assert answer.status == "mended"
    assert any(site.status == "mended" for site in answer.sites)


def test_compiles_to_a_function_of_the_same_shape(case, answer):
    old = case.code
    for text, lines in [
        (answer.text, answer.lines),
        (answer.original_text, answer.original_lines),
    ]:
        new = source.compile_text(
            text,
            lines,
            old.co_filename,
            name=old.co_name,
            qualname=old.co_qualname,
            flags=old.co_flags,
            freevars=old.co_freevars,
            firstlineno=old.co_firstlineno,
            imported=source.imported_names(old),
        )
        inputs = old.co_argcount + old.co_kwonlyargcount
        assert new.co_freevars == old.co_freevars
        assert new.co_cellvars == old.co_cellvars
        assert new.co_argcount == old.co_argcount
        assert new.co_kwonlyargcount == old.co_kwonlyargcount
        assert new.co_posonlyargcount == old.co_posonlyargcount
        assert new.co_varnames[:inputs] == old.co_varnames[:inputs]
        assert new.co_flags == old.co_flags
        assert set(old.co_varnames) <= set(new.co_varnames)
        names = {name for name in new.co_varnames if name not in old.co_varnames}
        assert all("__gm_" in name for name in names)
        wanted = _docstring(old)
        assert wanted is None or _docstring(new) == wanted


def _docstring(code):
    first = code.co_consts[0] if code.co_consts else None
    return first if isinstance(first, str) else None


def test_original_text_compiles_to_the_original(case, answer):
    old = case.code
    made = source.compile_text(
        answer.original_text,
        answer.original_lines,
        old.co_filename,
        name=old.co_name,
        qualname=old.co_qualname,
        flags=old.co_flags,
        freevars=old.co_freevars,
        firstlineno=old.co_firstlineno,
        imported=source.imported_names(old),
    )
    assert source.same_code(made, old)


def test_lines_stand_in_the_function(case, answer):
    definition = case.definition
    texts = [(answer.text, answer.lines), (answer.original_text, answer.original_lines)]
    texts += [(s.outline_text, s.outline_lines) for s in answer.sites if s.outline_text]
    original = case.text.split("\n")
    for text, lines in texts:
        rows = text.split("\n")[:-1]
        assert len(rows) == len(lines)
        for row, (line, shift) in zip(rows, lines, strict=True):
            assert case.code.co_firstlineno <= line <= (definition.end_lineno or 0)
            if shift is not None and row.strip():
                _assert_shifted(row, original[line - 1], shift)


def _assert_shifted(row: str, original: str, shift: int) -> None:
    """Somewhere the row holds what the original holds ``shift`` bytes further to the right."""
    new, old = row.encode(), original.encode()
    assert any(
        0 <= column + shift < len(old) and old[column + shift] == byte != 0x20
        for column, byte in enumerate(new)
    ), (row, original, shift)


def test_positions_in_eager_code_are_the_originals(case, answer):
    """Positions count in tracebacks: each node of the eager code is moved to where it came from."""
    tree = ast.parse(answer.text)
    source._move(tree, answer.lines)
    new, old = _eager(tree.body[0]), case.definition
    chained = {id(node.orelse[0]) for node in ast.walk(old) if _is_chain(node)}
    for left, right in zip(_nodes(new), _nodes(old), strict=True):
        assert left.lineno == right.lineno, ast.unparse(left)
        if id(right) not in chained:
            place = (left.col_offset, left.end_lineno, left.end_col_offset)
            wanted = (right.col_offset, right.end_lineno, right.end_col_offset)
            assert place == wanted, ast.unparse(left)


def _is_chain(node: ast.AST) -> bool:
    """An ``if`` with an ``elif``, or what looks like one in the tree."""
    return isinstance(node, ast.If) and len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If)


def _nodes(function: ast.AST) -> list[Any]:
    statements = [*function.body, *function.args.defaults, *function.args.kw_defaults]
    return [
        node
        for statement in filter(None, statements)
        for node in ast.walk(statement)
        if isinstance(node, (ast.expr, ast.stmt))
    ]


def test_eager_code_is_the_original(case, answer):
    """Where the run time is asked and says no, the original is left, each statement once."""
    mended = ast.parse(answer.text).body
    assert len(mended) == 1
    assert ast.unparse(_eager(mended[0])) == ast.unparse(case.definition)
    assert ast.dump(_eager(mended[0])) == ast.dump(case.definition)


def _eager(function: ast.stmt) -> Any:
    """The function as it runs when nothing is traced."""
    made = _Eager().visit(function)
    assert "__graphmend__" not in ast.unparse(made)
    return made


class _Eager(ast.NodeTransformer):
    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        if ast.unparse(node.test) == "__graphmend__.active()":
            return node.orelse
        return self.generic_visit(node)
