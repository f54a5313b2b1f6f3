"""`graphmend dump`, seen from outside; CPython's own tools say what is right."""

from __future__ import annotations

import ast
import io
import subprocess
import symtable
import sys
import tokenize
from pathlib import Path

import pytest

from tests.driver.support import ROOT, graphmend

PROGRAM = '''\
"""A module."""
import os, os.path as p
from . import (a as b, c,)

@decorated(1)
async def f(x: int, /, y=0x10, *args, z: str = "é", **kw) -> None:
    global count
    count += x if y else -y  # comment
    async with a as (m, n), b: await m
    return [i ** 2 for i in range(10) if i % 2 and not i or i < 3 <= 4]

class C(Base, metaclass=M):
    name: str = b"\\x00" b'no'
    def method(self):
        nonlocal_like = lambda self, *a: super().method()
        try:
            del self.x[1:2, ...], self.y
        except (A, B) as error:
            raise E from error
        finally:
            pass
        return __class__

match value:
    case {"k": [1, *rest], **more} | P(x=1) if rest: pass
    case None: pass
'''


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def this_version() -> str:
    return f"3.{sys.version_info.minor}"


def test_ast_is_what_cpython_prints(program: Path) -> None:
    result = graphmend("dump", "ast", program, "--python-version", this_version())
    expected = ast.dump(ast.parse(PROGRAM), include_attributes=True, indent=1)
    assert (result.status, result.err) == (0, "")
    assert result.out == expected + "\n"


# The code of PEP 701 gives other positions inside of f-strings than the versions before had.
FSTRINGS = """x = f"{1!r:>{2}} {x=} {'a' f'b{c}'}"\n"""


def test_fstrings_have_the_same_structure() -> None:
    arguments = ("dump", "ast", "-", "--json", "--python-version", this_version())
    tree = from_json(graphmend(*arguments, stdin=FSTRINGS.encode()).json()["ast"])
    assert isinstance(tree, ast.Module)
    assert ast.dump(tree) == ast.dump(ast.parse(FSTRINGS))


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize("path", ["python/graphmend/records.py", "tests/data/nasty/ok_numbers.py"])
def test_ast_of_files(path: str) -> None:
    result = graphmend("dump", "ast", path, "--python-version", this_version())
    expected = ast.dump(ast.parse((ROOT / path).read_bytes()), include_attributes=True, indent=1)
    assert result.out == expected + "\n"


def from_json(value: object) -> object:
    """An ast out of the JSON form."""
    if isinstance(value, list):
        return [from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    fields = {name: from_json(field) for name, field in value.items() if name != "_type"}
    node = getattr(ast, value["_type"])
    if node in (ast.Constant, ast.MatchSingleton):
        fields["value"] = eval(fields["value"], {"inf": float("inf")})
    return node(**fields)


def test_ast_in_json_holds_the_same(program: Path) -> None:
    document = graphmend(
        "dump", "ast", program, "--json", "--python-version", this_version()
    ).json()
    tree = from_json(document["ast"])
    assert isinstance(tree, ast.Module)
    assert ast.dump(tree, include_attributes=True) == ast.dump(
        ast.parse(PROGRAM), include_attributes=True
    )
    assert document["errors"] == []


def table_of(table: symtable.SymbolTable) -> dict[str, object]:
    """What symtable tells of a table, in the form of `dump scopes --json`."""
    symbols = {}
    for symbol in table.get_symbols():
        names = "annotated assigned declared_global free global imported local namespace nonlocal"
        symbols[symbol.get_name()] = {
            name
            for name in [*names.split(), "parameter", "referenced"]
            if getattr(symbol, f"is_{name}")()
        }
    return {
        "type": table.get_type(),
        "name": table.get_name(),
        "lineno": table.get_lineno(),
        "nested": table.is_nested(),
        "parameters": list(table.get_parameters()) if isinstance(table, symtable.Function) else [],
        "symbols": symbols,
        "children": [table_of(child) for child in table.get_children()],
    }


def told(table: dict[str, object]) -> dict[str, object]:
    symbols = table["symbols"]
    children = table["children"]
    assert isinstance(symbols, dict)
    assert isinstance(children, list)
    return {
        **table,
        "symbols": {name: set(symbol["is"]) for name, symbol in symbols.items()},
        "children": [told(child) for child in children],
    }


def test_scopes_are_what_symtable_tells(program: Path) -> None:
    arguments = ("dump", "scopes", program, "--json", "--python-version", this_version())
    document = graphmend(*arguments).json()
    assert told(document["table"]) == table_of(symtable.symtable(PROGRAM, "program.py", "exec"))


def test_scopes_for_people(program: Path) -> None:
    lines = graphmend("dump", "scopes", program).out.splitlines()
    assert "module top, line 1" in lines
    assert "  function f, line 6, async" in lines
    assert "    - count: global (declared), assigned" in lines
    assert any("- __class__: free" in line for line in lines)


NASTY = sorted((ROOT / "tests/data/nasty").glob("ok_*.py"))


@pytest.mark.parametrize("path", NASTY, ids=lambda path: path.stem)
def test_tokens_and_what_lies_between_are_the_file(path: Path) -> None:
    document = graphmend("dump", "tokens", path, "--json").json()
    parts = [part for token in document["tokens"] for part in (token["before"], token["text"])]
    text = "".join(parts) + document["after"]
    encoding = document["encoding"]
    assert text.encode(encoding) == path.read_bytes()


def test_tokens_are_those_of_tokenize(program: Path) -> None:
    result = graphmend("dump", "tokens", program, "--columns", "code-points", "--json")
    ours = [
        ((token["line"], token["column"]), token["text"])
        for token in result.json()["tokens"]
        if token["text"] and token["kind"] != "Newline"
    ]
    theirs = [
        (token.start, token.string)
        for token in tokenize.generate_tokens(io.StringIO(PROGRAM).readline)
        if token.string.strip() and token.type != tokenize.COMMENT
    ]
    assert ours == theirs


def test_columns_are_in_the_unit_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "wide.py"
    path.write_text("'é😀'; x\n", encoding="utf-8")

    def column(unit: str) -> int:
        tokens = graphmend("dump", "tokens", path, "--json", "--columns", unit).json()["tokens"]
        return next(token["column"] for token in tokens if token["text"] == "x")

    assert [column("bytes"), column("code-points"), column("utf-16")] == [10, 6, 7]


def test_tree_for_people(program: Path) -> None:
    lines = graphmend("dump", "tree", program).out.splitlines()
    assert lines[0] == "Module 1:0-27:0"
    assert '  body[3]: FunctionDef 6:0-10:71 async name_token="f"' in lines
    assert any(line.endswith('Attribute 17:16-17:22 Load attr="x"') for line in lines)


def test_tree_in_json_is_in_postorder(program: Path) -> None:
    document = graphmend("dump", "tree", program, "--json").json()
    nodes = document["nodes"]
    assert document["root"] == len(nodes)
    assert nodes[-1]["kind"] == "Module"
    for number, node in enumerate(nodes, 1):
        if node["kind"] == "BinOp":
            assert 0 < node["left"] < node["right"] < number
    names = [node["text"] for node in nodes if node["kind"] == "Name"]
    assert names[:4] == ["decorated", "int", "str", "count"]


def test_standard_input_is_read() -> None:
    result = graphmend("dump", "tree", "-", stdin=b"x = 1\n")
    assert (result.status, result.err) == (0, "")
    assert '    targets[0]: Name 1:0-1:1 Store "x"' in result.out.splitlines()


def test_a_file_named_as_a_view_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "ast").write_text("x\n")
    assert graphmend("dump", "tokens", "ast", cwd=tmp_path).status == 0


SYNTAX_ERROR = "def f():\n    return 1\n\nx = = 2\ny = 3\n"


@pytest.mark.parametrize("view", ["tree", "ast", "scopes"])
def test_syntax_errors_show_their_line_and_leave_a_tree(view: str) -> None:
    result = graphmend("dump", view, "-", stdin=SYNTAX_ERROR.encode())
    assert result.status == 1
    assert result.err.splitlines()[:3] == [
        "<stdin>:4:5: error: invalid syntax",
        "  4 | x = = 2",
        "    |     ^",
    ]
    assert "--python-version" in result.err
    for read in ("f", "y"):
        assert read in result.out
    document = graphmend("dump", view, "-", "--json", stdin=SYNTAX_ERROR.encode())
    assert document.status == 1
    assert [(error["line"], error["column"]) for error in document.json()["errors"]] == [(4, 4)]


def test_lexical_errors_are_shown_with_the_tokens() -> None:
    result = graphmend("dump", "tokens", "-", stdin=b"x = 'a\ny\n")
    assert result.status == 1
    assert "<stdin>:1:5: error: unterminated string literal" in result.err
    assert '"y"' in result.out


def test_errors_of_scopes_are_told() -> None:
    result = graphmend("dump", "scopes", "-", stdin=b"def f():\n    nonlocal x\n")
    assert result.status == 1
    assert result.err.startswith("<stdin>:2:14: error: no binding for nonlocal 'x' found\n")
    assert graphmend("dump", "ast", "-", stdin=b"def f():\n    nonlocal x\n").status == 0


def test_the_version_decides(tmp_path: Path) -> None:
    source = b"match x:\n    case 1: pass\n"
    assert graphmend("dump", "ast", "-", stdin=source).status == 0
    old = graphmend("dump", "ast", "-", "--python-version", "3.9", stdin=source)
    assert old.status == 1
    assert "for Python 3.9" in old.err


def test_terminals_get_no_control_characters() -> None:
    result = graphmend("dump", "tree", "-", stdin=b"\x1b[31m = = \xe2\x80\xae\n")
    assert result.status == 1
    assert "\x1b" not in result.err + result.out
    assert "\u202e" not in result.err


def test_long_lines_are_cut_around_the_error() -> None:
    source = b"x = [" + b"1, " * 200_000 + b"= " + b"2, " * 200_000 + b"]\n"
    result = graphmend("dump", "tree", "-", "--json", stdin=source)
    assert result.status == 1
    assert "invalid syntax" in result.err.splitlines()[0]
    assert max(map(len, result.err.splitlines())) < 120
    _, excerpt, caret = result.err.splitlines()[:3]
    assert excerpt[caret.index("^")] == "="


FAILURES = {
    "missing": (["dump", "ast", "no_such_file.py"], "no_such_file.py: there is no such file"),
    "directory": (["dump", "ast", "src"], "src: is a directory; name one file in it"),
    "version": (
        ["dump", "ast", "README.md", "--python-version", "3.7"],
        "'3.7' is no version that is known; take one of 3.8, 3.9",
    ),
    "flag": (["dump", "ast", "README.md", "--jsno"], "there is no option --jsno"),
    "unit": (["dump", "tree", "README.md", "--columns", "miles"], "'miles' is no unit"),
    "no file": (["dump", "ast"], "FILE is required"),
    "two files": (["dump", "ast", "a", "b"], "one argument too many: b"),
    "view": (["dump", "ats", "a"], "there is no command 'ats'; commands: tokens, tree"),
    "no view": (["dump"], "a command is missing; commands: tokens"),
    "command": (["dmup"], "there is no command 'dmup'; commands: check, dump, rules, run"),
    "no command": ([], "a command is missing; commands: check, dump, rules, run"),
    "option alone": (["--nope"], "there is no option --nope"),
    "cookie": (
        ["dump", "ast", "tests/data/nasty/bad_unknown_cookie.py"],
        "bad_unknown_cookie.py:1: unknown or wrong encoding: ",
    ),
    "utf-8": (
        ["dump", "ast", "tests/data/nasty/bad_invalid_utf8.py"],
        "save the file as UTF-8, or declare its encoding",
    ),
    "bom": (
        ["dump", "ast", "tests/data/nasty/bad_bom_and_latin1.py"],
        "remove the byte order mark or the coding comment",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), FAILURES.values(), ids=FAILURES)
def test_what_fails_says_why_and_what_to_do(arguments: list[str], message: str) -> None:
    result = graphmend(*arguments)
    assert result.status == 2
    assert result.out == ""
    assert message in result.err
    assert len(result.err.splitlines()) <= 2


def test_binary_files_are_named_so(tmp_path: Path) -> None:
    result = graphmend("dump", "ast", sys.executable)
    assert result.status == 2
    assert "a binary file (byte 7 is NUL); name a Python source" in result.err
    path = tmp_path / "utf16.py"
    path.write_text("x = 1\n", encoding="utf-16")
    assert "save it as UTF-8" in graphmend("dump", "ast", path).err


def test_unreadable_places(tmp_path: Path) -> None:
    loop = tmp_path / "loop.py"
    loop.symlink_to(loop)
    assert "a symbolic link that leads to itself" in graphmend("dump", "ast", loop).err
    odd = tmp_path / "\udcff.py"
    odd.write_bytes(b"x = 1\n")
    assert graphmend("dump", "ast", odd).status == 0


def test_declared_encodings_are_decoded(tmp_path: Path) -> None:
    path = tmp_path / "cyrillic.py"
    path.write_bytes("# coding: koi8-r\nимя = 'текст'\n".encode("koi8-r"))
    result = graphmend("dump", "tree", path)
    assert result.status == 0
    assert '"имя"' in result.out


@pytest.mark.parametrize("arguments", [["--help"], ["dump", "--help"], ["dump", "ast", "--help"]])
def test_help_is_help(arguments: list[str]) -> None:
    result = graphmend(*arguments)
    assert (result.status, result.err) == (0, "")
    assert "Usage: graphmend" in result.out


def test_nobody_has_to_read_it_all(tmp_path: Path) -> None:
    path = tmp_path / "long.py"
    path.write_text("x\n" * 100_000)
    command = f"{sys.executable} -m graphmend.cli dump tokens {path} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


def test_deep_trees_print_without_deep_indentation() -> None:
    source = b"a" + b".b" * 100_000 + b"\n"
    result = graphmend("dump", "ast", "-", stdin=source)
    assert result.status == 2
    assert "levels deep" in result.err
    tree = graphmend("dump", "tree", "-", stdin=source)
    assert tree.status == 0
    assert len(tree.out) < 20_000_000
    assert graphmend("dump", "ast", "--json", "-", stdin=source).status == 0
