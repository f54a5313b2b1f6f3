"""Compares trees with those of CPython's ast.parse, file by file, with all positions.

    python tests/oracle/ast_oracle.py                       # every CPython found, all corpora
    python tests/oracle/ast_oracle.py --version 3.11 --every 20
    python tests/oracle/ast_oracle.py --python /path/to/python3.8 some/folder some/file.py

For each version it runs itself under that CPython, which parses every file; the text of its tree
(ast.dump with attributes, made by ast_printer.py) must be what build/dev/oracle_ast_dump prints for
the file, and a file that one rejects must be rejected by the other. Every --letters-th file is also
compared with ast.dump itself, indented. Inside f-strings of 3.8 to 3.11 columns were wrong, and
are not compared; where lines were wrong too the file is counted as explained. At the end there is
one table, and the list of differences that are explained.

Without paths the corpora are the version's own standard library (tests included) and the packages
torch and transformers of the Python that runs this script.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Differences that are CPython's mistakes: versions, end of the path, and what is wrong there.
EXPECTED: list = []
FSTRING_LINES = "lines in f-strings of several lines are not where the text is (3.8 to 3.11)"


# ------------------------------------------------------------------ under the CPython compared with


class Tool:
    """The native dumper, asked for one file after the other."""

    def __init__(self, program, *extra):
        version = "%d.%d" % sys.version_info[:2]
        self.process = subprocess.Popen(
            [program, version, *extra], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, path):
        self.process.stdin.write(os.fsencode(path) + b"\n")
        self.process.stdin.flush()

    def answer(self, path):
        header = self.process.stdout.readline().split()
        if not header:
            raise SystemExit(f"the tool ended with {self.process.wait()} on {path}")
        return header[0].decode(), self.process.stdout.read(int(header[1]))

    def dump(self, path):
        self.ask(path)
        return self.answer(path)


def first_difference(ours, theirs):
    at = 0
    while at < min(len(ours), len(theirs)) and ours[at] == theirs[at]:
        at += 1
    part = slice(max(0, at - 150), at + 100)
    texts = [text[part].decode("utf-8", "replace") for text in (ours, theirs)]
    return f"\n    ours   ...{texts[0]}\n    theirs ...{texts[1]}"


def without_positions(tree):
    """Takes away the positions of everything inside f-strings."""
    for outer in ast.walk(tree):
        if isinstance(outer, ast.JoinedStr):
            for node in ast.walk(outer):
                for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                    if node is not outer and name in node.__dict__:
                        delattr(node, name)
    return tree


class Comparison:
    """What differs between the tool and the running CPython."""

    def __init__(self, program):
        import ast_printer

        old = sys.version_info < (3, 12)
        self.print_tree = ast_printer.printer("lines" if old else "all")
        self.tool = Tool(program, *(["--fstring-lines"] if old else []))
        self.bare_tool = Tool(program, "--no-fstring-positions") if old else None
        self.print_bare = ast_printer.printer("none")
        # Up to 3.8 ast.dump has no indentation.
        indent = sys.version_info >= (3, 9)
        extra = ["--indent", "1"] if indent else []
        if old:
            extra.append("--no-fstring-positions")
        self.letter_tool = Tool(program, *extra)
        self.keywords = {"indent": 1} if indent else {}

    def compare(self, path, letters):
        """The outcome for a file, and what to say about it."""
        self.tool.ask(path)
        with open(path, "rb") as stream:
            source = stream.read()
        tree = error = None
        try:
            tree = ast.parse(source)
        except (RecursionError, MemoryError):
            error = "too deep"
        except (SyntaxError, ValueError) as rejection:
            error = rejection
        status, ours = self.tool.answer(path)
        if error == "too deep":
            return "too deep for this CPython", ""
        if error is not None:
            return self.rejected(error, status, ours)
        if status != "ok":
            return "wrongly rejected", ours.decode("utf-8", "replace")
        theirs = self.print_tree(tree).encode("utf-8", "surrogatepass")
        if ours == theirs:
            return self.letter_by_letter(path, tree) if letters else ("equal", "")
        if self.bare_tool:
            _, bare = self.bare_tool.dump(path)
            if bare == self.print_bare(tree).encode("utf-8", "surrogatepass"):
                return "explained", FSTRING_LINES
        return "different", first_difference(ours, theirs)

    @staticmethod
    def rejected(error, status, ours):
        if status != "error":
            return "wrongly accepted", str(error)
        our_line = int(ours.split(b":")[0])
        # Where CPython names no line there is none to compare: bytes that are no text.
        line = getattr(error, "lineno", None)
        if our_line == line or not line:
            return "rejected, same line", ""
        return "rejected", "ours {}\n    theirs {}".format(ours.decode("utf-8", "replace"), error)

    def letter_by_letter(self, path, tree):
        if sys.version_info < (3, 12):
            tree = without_positions(tree)
        theirs = ast.dump(tree, include_attributes=True, **self.keywords)
        theirs = theirs.encode("utf-8", "surrogatepass")
        status, ours = self.letter_tool.dump(path)
        if status == "ok" and ours == theirs:
            return "equal to the letter", ""
        return "different", first_difference(ours, theirs)


def work(tool, list_file, letters):
    """Compares the files that a file lists; a line of JSON for each that is not simply equal."""
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(20000)
    comparison = Comparison(tool)
    counts = {}
    with open(list_file, encoding="utf-8") as file:
        paths = file.read().splitlines()
    for number, path in enumerate(paths):
        outcome, text = comparison.compare(path, letters and number % letters == 0)
        counts[outcome] = counts.get(outcome, 0) + 1
        if text:
            print(json.dumps([outcome, path, text]), flush=True)
    print(json.dumps(counts), flush=True)


# --------------------------------------------------------------------------- under any Python 3.11+


def explanation(version, path, outcome):
    """Why a difference is CPython's mistake; '' when none is known."""
    for versions, ending, expected, reason in EXPECTED:
        if version in versions and path.endswith(ending) and outcome == expected:
            return reason
    return ""


def figures_of(version, python, files, options, reasons):
    """Runs the comparison under one CPython; counts by outcome."""
    list_file = ROOT / "build" / f"ast_oracle_{version}.txt"
    list_file.write_text("\n".join(map(str, files)), encoding="utf-8")
    command = [python, __file__, "--work", options.tool, list_file, str(options.letters)]
    shown: dict[str, int] = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        for line in run.stdout:
            message = json.loads(line)
            if isinstance(message, dict):
                figures = message
                break
            outcome, path, text = message
            reason = text if outcome == "explained" else explanation(version, path, outcome)
            if reason:
                reasons.setdefault(reason, []).append(f"{version}: {path}")
                if outcome != "explained":
                    shown.setdefault("moved " + outcome, 0)
                    shown["moved " + outcome] += 1
                continue
            shown[outcome] = shown.get(outcome, 0) + 1
            if shown[outcome] <= options.show:
                print(f"  {version} {outcome}: {path}: {text}", flush=True)
        else:
            raise SystemExit(f"the comparison under {python} ended early")
    for name in [name for name in shown if name.startswith("moved ")]:
        figures[name[len("moved ") :]] -= shown[name]
        figures["explained"] = figures.get("explained", 0) + shown[name]
    return figures


def main():
    import cpythons

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders to compare on")
    parser.add_argument("--version", action="append", choices=cpythons.VERSIONS)
    parser.add_argument("--python", action="append", type=Path, help="a CPython to compare with")
    parser.add_argument("--every", type=int, default=1, help="take every Nth file")
    parser.add_argument("--letters", type=int, default=50, help="every Nth of them to the letter")
    parser.add_argument("--show", type=int, default=10, help="differences to print a version")
    parser.add_argument("--tool", type=Path, default=ROOT / "build" / "dev" / "oracle_ast_dump")
    options = parser.parse_args()
    rows = []
    reasons: dict[str, list[str]] = {}
    wrong = 0
    for version, python in cpythons.chosen(options.version, options.python).items():
        started = time.monotonic()
        files = list(cpythons.corpora(python, options.paths))[:: options.every]
        figures = figures_of(version, python, files, options, reasons)
        get = figures.get
        different = sum(
            get(name, 0) for name in ("different", "wrongly accepted", "wrongly rejected")
        )
        wrong += different
        same_line = get("rejected, same line", 0)
        rejected = same_line + get("rejected", 0)
        rows.append(
            [
                version,
                len(files),
                f"{sum(path.stat().st_size for path in files) / 1e6:.1f}",
                get("equal", 0) + get("equal to the letter", 0),
                get("equal to the letter", 0),
                different,
                get("explained", 0),
                get("too deep for this CPython", 0),
                rejected,
                f"{100 * same_line / rejected:.1f}" if rejected else "-",
                f"{time.monotonic() - started:.0f}",
            ]
        )
        print(f"  {version}: {figures}", flush=True)
    head = ["version", "files", "MB", "equal", "to the letter", "different", "explained"]
    head += ["too deep", "rejected by both", "same line %", "s"]
    cpythons.print_table(head, rows)
    for reason, places in sorted(reasons.items()):
        print(f"explained: {reason}: {len(places)}")
        for place in places[: options.show]:
            print(f"  {place}")
    return 1 if wrong or not rows else 0


def in_deep_stack(function, *arguments):
    """Calls a function in a thread whose stack is deep enough for the deepest trees."""
    threading.stack_size(512 << 20)
    failures = []

    def run():
        try:
            function(*arguments)
        except BaseException as error:
            failures.append(error)
            raise

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return 1 if failures else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        sys.exit(in_deep_stack(work, sys.argv[2], sys.argv[3], int(sys.argv[4])))
    sys.exit(main())
