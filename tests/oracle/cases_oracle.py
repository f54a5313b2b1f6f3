"""Compares what is accepted and rejected with CPython, on CPython's own tests of the language.

    python tests/oracle/cases_oracle.py                     # every CPython found
    python tests/oracle/cases_oracle.py --version 3.12 --show 40
    python tests/oracle/cases_oracle.py --every 10

Cases are read from the installed test modules of each version when this runs: every string that
they hold, as it is and dedented, and every example of their doctests. The CPython that is compared
with says for each what ast.parse and compile make of it; build/dev/oracle_scope_dump must say the
same, and should name the same line with the same message.
"""

from __future__ import annotations

import argparse
import ast
import doctest
import json
import os
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODULES = """
test_syntax test_grammar test_fstring test_patma test_type_params test_type_aliases test_exceptions
test_named_expressions test_positional_only_arg test_keywordonlyarg test_unpack test_unpack_ex
test_pep646_syntax test_type_annotations test_annotations test_generators test_coroutines
test_asyncgen test_genexps test_listcomps test_setcomps test_dictcomps test_decorators test_global
test_scope test_symtable test_string_literals test_eof test_tokenize test_unicode_identifiers
test_source_encoding test_except_star test_with test_compile test_ast test_codeop test_future
test_parser test_class test_super test_lambda test_raise test_yield_from test_except_clause
test_builtin test_tstring test_pep479 test_flufl test_extcall test_metaclass test_bytes test_float
test_complex test_int test_traceback test_cmd_line_script test_compiler_codegen test_dis
""".split()  # noqa: SIM905

# Differences that are CPython's mistakes, or its limits: versions, part of the source, what is
# wrong there.
EXPECTED = [
    (
        ("3.13",),
        "\\ud800",
        "compile() encodes a docstring with a lone surrogate while it cleans it, and fails",
    ),
]


# ------------------------------------------------------------------ under the CPython compared with


def strings_of(path):
    """Every string of a file, and the examples of doctests in it."""
    with open(path, "rb") as file:
        tree = ast.parse(file.read())
    parser = doctest.DocTestParser()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        yield node.value
        yield textwrap.dedent(node.value)
        if ">>> " in node.value:
            try:
                examples = parser.get_examples(node.value)
            except ValueError:
                continue
            for example in examples:
                yield example.source


def cases(modules):
    """Distinct cases with the module that each comes from."""
    import test

    folder = os.path.dirname(test.__file__)
    seen = set()
    for module in modules:
        candidates = [os.path.join(folder, module + ".py")]
        package = os.path.join(folder, module)
        if os.path.isdir(package):
            candidates = [os.path.join(package, name) for name in sorted(os.listdir(package))]
        for path in candidates:
            if not path.endswith(".py") or not os.path.isfile(path):
                continue
            for text in strings_of(path):
                if text not in seen and len(text) < 100000:
                    seen.add(text)
                    yield os.path.basename(path), text


class TooDeepError(Exception):
    """What the interpreter gives up on says nothing about the language."""


def verdict(text):
    """What ast.parse says, then what compile says: None, or [line, message]."""
    answers = []
    for run in (ast.parse, lambda text: compile(text, "<case>", "exec", dont_inherit=True)):
        try:
            run(text)
        except SyntaxError as error:
            answers.append([error.lineno, error.msg])
        except ValueError as error:
            answers.append([None, str(error)])
        except (RecursionError, MemoryError, OverflowError, SystemError):
            raise TooDeepError from None
        else:
            answers.append(None)
        if answers[-1] is not None:
            return answers
    return answers


def compare(text, answer):
    """The outcome, and what to say about it."""
    theirs = verdict(text)
    ours = (answer["grammar"] or answer["scope"] or answer["compile"] or [None])[0]
    if theirs[0] is not None or answer["grammar"]:
        stage, their_error, our_error = "ast.parse", theirs[0], (answer["grammar"] or [None])[0]
    else:
        stage, their_error, our_error = "compile", theirs[-1], ours
    if (their_error is None) != (our_error is None):
        return "different", f"{stage}: {their_error}, ours {our_error}"
    if their_error is None:
        return "accepted", ""
    if their_error == our_error:
        return "same message", ""
    if our_error[0] == their_error[0] or not their_error[0]:
        return "same line", f"{stage}: {their_error}, ours {our_error}"
    return "other line", f"{stage}: {their_error}, ours {our_error}"


def work(program, every, modules):
    """Compares all cases; prints a line of JSON for each difference, and the counts."""
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(5000)
    tool = subprocess.Popen(
        [program, "%d.%d" % sys.version_info[:2], "--errors"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    counts = {}
    for number, (module, text) in enumerate(cases(modules)):
        if number % every:
            continue
        try:
            data = text.encode("utf-8")
        except UnicodeEncodeError:
            continue
        tool.stdin.write(b"%d\n" % len(data) + data)
        tool.stdin.flush()
        line = tool.stdout.readline()
        if not line:
            raise SystemExit(f"the tool ended with {tool.wait()} on {text!r}")
        try:
            outcome, message = compare(text, json.loads(line, strict=False))
        except TooDeepError:
            outcome, message = "too deep", ""
        counts[outcome] = counts.get(outcome, 0) + 1
        if message:
            print(json.dumps([outcome, module, text, message]), flush=True)
    print(json.dumps(counts), flush=True)


# --------------------------------------------------------------------------- under any Python 3.11+


def explanation(version, text):
    for versions, part, reason in EXPECTED:
        if version in versions and part in text:
            return reason
    return ""


def main():
    if sys.argv[1:2] == ["--work"]:
        return work(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
    import cpythons

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", action="append", choices=cpythons.VERSIONS)
    parser.add_argument("--python", action="append", type=Path, help="a CPython to compare with")
    parser.add_argument("--every", type=int, default=1, help="take every Nth case")
    parser.add_argument("--modules", nargs="+", default=MODULES, help="modules of CPython's tests")
    parser.add_argument("--show", type=int, default=20, help="differences to print a version")
    parser.add_argument("--lines", action="store_true", help="show other lines too")
    parser.add_argument("--messages", action="store_true", help="show other messages too")
    parser.add_argument("--tool", type=Path, default=ROOT / "build" / "dev" / "oracle_scope_dump")
    options = parser.parse_args()
    shown_outcomes = {"different"}
    shown_outcomes |= {"other line"} if options.lines else set()
    shown_outcomes |= {"same line"} if options.messages else set()
    wrong = 0
    rows = []
    for version, python in cpythons.chosen(options.version, options.python).items():
        command = [python, __file__, "--work", options.tool, str(options.every), *options.modules]
        counts = {}
        explained = []
        shown = 0
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            for line in run.stdout:
                message = json.loads(line)
                if isinstance(message, dict):
                    counts = message
                    break
                outcome, module, text, difference = message
                if outcome == "different" and (reason := explanation(version, text)):
                    explained.append(f"{module}: {text[:80]!r}: {reason}")
                    continue
                if outcome in shown_outcomes and shown < options.show:
                    shown += 1
                    print(f"  {version} {outcome}: {module}: {text[:300]!r}\n    {difference}")
        if not counts:
            raise SystemExit(f"the comparison under {python} ended early")
        counts["different"] = counts.get("different", 0) - len(explained)
        wrong += counts["different"]
        line = counts.get("same line", 0) + counts.get("same message", 0)
        rejected = line + counts.get("other line", 0)
        rows.append(
            [
                version,
                sum(counts.values()) + len(explained),
                counts.get("accepted", 0),
                rejected,
                counts["different"],
                len(explained),
                f"{100 * line / max(rejected, 1):.1f}",
                f"{100 * counts.get('same message', 0) / max(rejected, 1):.1f}",
            ]
        )
        for text in explained:
            print(f"  {version} explained: {text}")
    head = ["version", "cases", "accepted by both", "rejected by both", "different", "explained"]
    cpythons.print_table([*head, "same line %", "same message too %"], rows)
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
