"""Compares scopes with CPython's symtable, table by table.

    python tests/oracle/scope_oracle.py                       # every CPython found, all corpora
    python tests/oracle/scope_oracle.py --version 3.11 --every 20
    python tests/oracle/scope_oracle.py --python /path/to/python3.8 some/folder some/file.py

For each version it runs itself under that CPython, which reads every file, asks symtable and
build/dev/oracle_scope_dump, and compares each table: type, name, line, whether it is nested,
parameters in order, symbols with all their flags (the raw number and every is_...() method), and
children in order.  A file that the grammar accepts and symtable rejects must be rejected with the
same message at the same line.  Without paths the corpora are the version's own standard library
(tests included) and the packages torch and transformers of the Python that runs this script.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
METHODS = (
    "annotated",
    "assigned",
    "declared_global",
    "free",
    "global",
    "imported",
    "local",
    "namespace",
    "nonlocal",
    "parameter",
    "referenced",
)
IN_FSTRINGS = "equal but for lines in f-strings"


# ------------------------------------------------------------------ under the CPython compared with


def expected_methods(symtable, module_scope, is_namespace, flags, known={}):  # noqa: B006
    """The methods of symtable.Symbol that say yes, which nothing but these arguments decides."""
    key = module_scope, is_namespace, flags
    if key not in known:
        namespaces = [None] if is_namespace else []
        symbol = symtable.Symbol("name", flags, namespaces, module_scope=module_scope)
        known[key] = [method for method in METHODS if getattr(symbol, "is_" + method)()]
    return known[key]


def fstring_lines(text):
    """Lines of scopes inside f-strings, as the ast of this CPython has them.

    Up to 3.8 what stands in an f-string that is one of several strings side by side has the line of
    the first of them.
    """
    import ast

    if sys.version_info >= (3, 9):
        return set()
    scopes = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return {
        node.lineno
        for string in ast.walk(ast.parse(text))
        if isinstance(string, ast.JoinedStr)
        for node in ast.walk(string)
        if isinstance(node, scopes)
    }


def table_difference(symtable, table, ours, place, wrong_lines, counts):
    """What differs first between CPython's table and ours; None when nothing does."""
    todo = [(table, ours, place)]
    while todo:
        table, ours, place = todo.pop()
        where = f"{place}{table.name}:{table.lineno}"
        kind = symtable._newSymbolTable(table, "file").get_type()
        theirs = {
            "type": str(getattr(kind, "value", kind)),
            "name": table.name,
            "lineno": table.lineno,
            "nested": bool(table.nested),
            "parameters": list(table.varnames),
        }
        for key, value in theirs.items():
            if key == "lineno" and value in wrong_lines and ours[key] > value:
                continue
            if ours[key] != value:
                return f"{where}: {key}: {value!r}, ours {ours[key]!r}"
        symbols = ours["symbols"]
        if table.symbols.keys() != symbols.keys():
            missing = sorted(table.symbols.keys() - symbols.keys())
            extra = sorted(symbols.keys() - table.symbols.keys())
            return f"{where}: symbols missing {missing}, too many {extra}"
        counts["tables"] = counts.get("tables", 0) + 1
        counts["symbols"] = counts.get("symbols", 0) + len(symbols)
        top = table.name == "top"
        children = {child.name for child in table.children}
        for name, flags in table.symbols.items():
            mine = symbols[name]
            if mine["flags"] != flags:
                return f"{where}: {name}: flags {flags:#x}, ours {mine['flags']:#x}"
            methods = expected_methods(symtable, top, name in children, flags)
            if mine["is"] != methods:
                return f"{where}: {name}: is {methods}, ours {mine['is']}"
        if len(table.children) != len(ours["children"]):
            names = [child.name for child in table.children]
            return f"{where}: children {names}, ours {[c['name'] for c in ours['children']]}"
        todo.extend((a, b, where + " > ") for a, b in zip(table.children, ours["children"]))
    return None


def read_text(path):
    import tokenize

    with open(path, "rb") as file:
        encoding, _ = tokenize.detect_encoding(file.readline)
        file.seek(0)
        return file.read().decode(encoding)


def compare(symtable, text, path, answer, counts):
    """The outcome for one file, and what to say about it; adds what is compared to the counts."""
    import ast
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "rejected", ""
    if answer["grammar"]:
        return "grammar", f"our parser: {answer['grammar'][0]}"
    try:
        table = symtable.symtable(text, path, "exec")._table
    except RecursionError:
        return "rejected", ""
    except SyntaxError as error:
        theirs = [error.lineno, error.msg]
        if answer["scope"] and answer["scope"][0] == theirs:
            return "equal", ""
        return "different", f"{theirs}, ours {answer['scope'][:1]}"
    if answer["scope"]:
        message = answer["scope"][0][1]
        if sys.version_info < (3, 10) and ("future" in message or message == "not a chance"):
            return compare_future_error(text, path, answer["scope"][0])
        return "different", f"accepted, ours {answer['scope'][0]}"
    difference = table_difference(symtable, table, answer["table"], "", (), counts)
    if difference and ": lineno: " in difference and sys.version_info < (3, 9):
        lines = fstring_lines(text)
        if not table_difference(symtable, table, answer["table"], "", lines, {}):
            return IN_FSTRINGS, ""
    return ("different", difference) if difference else ("equal", "")


def compare_future_error(text, path, ours):
    """Up to 3.9 symtable passes over future statements; the compiler does not."""
    try:
        compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        if [error.lineno, error.msg] == ours:
            return "equal", ""
    return "different", f"compiled otherwise, ours {ours}"


def work(tool, list_file, show):
    """Compares the files that are listed in a file; prints the figures as JSON at the end."""
    import symtable

    version = "%d.%d" % sys.version_info[:2]
    sys.setrecursionlimit(20000)
    process = subprocess.Popen(
        [tool, version], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1 << 20
    )
    counts = {}
    with open(list_file, encoding="utf-8") as file:
        paths = file.read().splitlines()
    for path in paths:
        try:
            text = read_text(path)
        except (OSError, SyntaxError, UnicodeDecodeError, LookupError):
            counts["unreadable"] = counts.get("unreadable", 0) + 1
            continue
        data = text.encode("utf-8", "surrogatepass")
        process.stdin.write(b"%d\n" % len(data) + data)
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            print(f"{path}: the tool ended with {process.wait()}", flush=True)
            return 1
        outcome, message = compare(symtable, text, path, json.loads(line), counts)
        counts[outcome] = counts.get(outcome, 0) + 1
        if message and counts[outcome] <= show:
            print(f"  {outcome}: {path}: {message}", flush=True)
    process.stdin.close()
    process.wait()
    print("FIGURES " + json.dumps(counts), flush=True)
    return 0


# --------------------------------------------------------------------------- under any Python 3.11+


def main():
    if sys.argv[1:2] == ["--work"]:
        return work(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    import cpythons

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders to compare on")
    parser.add_argument(
        "--version", action="append", choices=cpythons.VERSIONS, help="only this one"
    )
    parser.add_argument("--python", action="append", type=Path, help="a CPython to compare with")
    parser.add_argument("--every", type=int, default=1, help="take every Nth file")
    parser.add_argument("--show", type=int, default=10, help="differences to print a version")
    parser.add_argument("--tool", type=Path, default=ROOT / "build" / "dev" / "oracle_scope_dump")
    options = parser.parse_args()
    wrong = 0
    rows = []
    for version, python in cpythons.chosen(options.version, options.python).items():
        started = time.monotonic()
        files = [str(file) for file in cpythons.corpora(python, options.paths)][:: options.every]
        list_file = ROOT / "build" / f"scope_oracle_{version}.txt"
        list_file.write_text("\n".join(files), encoding="utf-8")
        command = [python, __file__, "--work", options.tool, list_file, str(options.show)]
        figures = {}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            for line in run.stdout:
                if line.startswith("FIGURES "):
                    figures = json.loads(line[len("FIGURES ") :])
                else:
                    print(line, end="", flush=True)
        if not figures:
            raise SystemExit(f"the comparison under {python} ended early")
        different = figures.get("different", 0) + figures.get("grammar", 0)
        wrong += different
        row = [version, len(files), figures.get("tables", 0), figures.get("symbols", 0)]
        row += [figures.get("equal", 0), different, figures.get(IN_FSTRINGS, 0)]
        row += [figures.get("rejected", 0) + figures.get("unreadable", 0)]
        rows.append([*row, f"{time.monotonic() - started:.0f}"])
    head = ["version", "files", "tables", "symbols", "equal", "different", "explained"]
    cpythons.print_table([*head, "no Python", "s"], rows)
    if any(row[6] for row in rows):
        print(f"explained: {IN_FSTRINGS}: up to 3.8 they have the line of the first string")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
