"""Compare flow with executed programs: test modules of the standard library under sys.settrace.

    python3.11 tests/oracle/flow_oracle.py build/dev/oracle_flow_dump       # steps, all modules
    python3.11 tests/oracle/flow_oracle.py build/dev/oracle_flow_dump --values test_json
    python3.11 tests/oracle/flow_oracle.py build/dev/oracle_flow_dump --bytecode Lib/*.py

Each module runs in its own process, for at most --seconds. For all code of the standard library
that runs there (the module itself included), every step from line to line, exceptions included,
must be an edge. With --values every local variable that is read must have been bound where def-use
says. With --bytecode nothing runs: line edges of CPython's own bytecode are compared instead.
"""

from __future__ import annotations

import argparse
import contextlib
import dis
import inspect
import io
import json
import os
import subprocess
import sys
import threading
import time
import types
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

# test_scope sets traces of its own.
MODULES = """
test_abc test_argparse test_array test_ast test_asyncgen test_base64 test_bisect test_bool
test_calendar test_call test_class test_cmd test_code test_codeop test_collections test_colorsys
test_compare test_configparser test_contextlib test_contextlib_async test_copy test_copyreg
test_coroutines test_csv test_dataclasses test_decorators test_defaultdict test_deque test_difflib
test_dis test_dynamicclassattribute test_enum test_enumerate test_except_star
test_exception_variations test_fileinput test_fnmatch test_fractions test_fstring test_functools
test_generators test_genericpath test_getopt test_gettext test_glob test_grammar test_graphlib
test_heapq test_html test_htmlparser test_inspect test_ipaddress test_json test_keyword
test_linecache test_list test_listcomps test_mimetypes test_named_expressions test_netrc
test_opcodes test_operator test_optparse test_ordered_dict test_patma test_pep479 test_pkgutil
test_plistlib test_pprint test_property test_queue test_quopri test_raise test_random test_re
test_reprlib test_sched test_setcomps test_shelve test_shlex test_statistics
test_string test_string_literals test_super test_syntax test_tempfile test_textwrap test_timeit
test_tokenize test_types test_typing test_unpack test_urlparse test_userdict test_uuid test_weakref
test_with test_yield_from test_zipapp
""".split()  # noqa: SIM905
VERSION = f"{sys.version_info[0]}.{sys.version_info[1]}"
LIBRARY = str(Path(os.__file__).parent) + os.sep

Step = tuple[int, int, int]  # from, to, whether an exception came between


# ------------------------------------------------------------------ in the process that is traced


class Recorder:
    """Collects steps, or reads of local variables, by code object."""

    def __init__(self, values: bool) -> None:
        self.values = values
        self.steps: dict[types.CodeType, set[tuple[int, ...]]] = {}
        self.reads: dict[types.CodeType, set[tuple[object, ...]]] = {}
        self.tables: dict[types.CodeType, dict[int, tuple[str, str, object]]] = {}

    def trace(self, frame: types.FrameType, event: str, _arg: object) -> object:
        if event != "call":
            return None
        if frame.f_trace is not None:  # a generator goes on
            return frame.f_trace
        code = frame.f_code
        name = code.co_filename
        if not name.startswith(LIBRARY) or name == __file__:
            return None
        if self.values:
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
            return self.value_tracer(code)
        return self.step_tracer(code)

    def step_tracer(self, code: types.CodeType) -> Callable[..., object]:
        steps = self.steps.setdefault(code, set())
        last = 0
        raised = 0

        def local(frame: types.FrameType, event: str, _arg: object) -> object:
            nonlocal last, raised
            if event == "line":
                line = frame.f_lineno
                if last != line:
                    steps.add((last, line, raised))
                last = line
                raised = 0
            elif event == "exception":
                raised = 1
            return local

        return local

    def value_tracer(self, code: types.CodeType) -> Callable[..., object]:
        table = self.tables.get(code)
        if table is None:
            table = self.tables[code] = dict(local_instructions(code))
        reads = self.reads.setdefault(code, set())
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & inspect.CO_VARARGS)
        count += bool(code.co_flags & inspect.CO_VARKEYWORDS)
        bound: dict[str, object] = dict.fromkeys(code.co_varnames[:count], "parameter")

        def local(frame: types.FrameType, event: str, _arg: object) -> object:
            if event == "opcode":
                entry = table.get(frame.f_lasti)
                if entry is not None:
                    kind, name, place = entry
                    if kind == "LOAD_FAST":
                        reads.add((name, place, bound.get(name, "unbound")))
                    elif kind == "STORE_FAST":
                        bound[name] = place
                    else:
                        bound.pop(name, None)
            return local

        return local

    def write(self, path: str) -> None:
        found: dict[str, list[object]] = defaultdict(list)
        for code, items in {**self.steps, **self.reads}.items():
            found[code.co_filename].append(
                [code.co_name, code.co_firstlineno, list(items), fingerprint(code)]
            )
        Path(path).write_text(json.dumps(found))


def fingerprint(code: types.CodeType) -> int:
    return zlib.crc32(code.co_code + code.co_linetable)


def local_instructions(code: types.CodeType) -> Iterator[tuple[int, tuple[str, str, object]]]:
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_FAST", "STORE_FAST", "DELETE_FAST"):
            place = instruction.positions
            if instruction.argval.startswith("."):
                continue
            at = (place.lineno, place.col_offset) if place and place.lineno else None
            yield instruction.offset, (instruction.opname, instruction.argval, at)


def run_module(module: str, output: str, seconds: float, values: bool) -> None:
    """Runs a test module traced; ends the process."""
    import unittest

    recorder = Recorder(values)

    def stop() -> None:
        time.sleep(seconds)
        end()

    def end() -> None:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        for _ in range(5):
            try:
                recorder.write(output)
                break
            except RuntimeError:  # changed while it is written
                time.sleep(0.1)
        os._exit(0)

    threading.Thread(target=stop, daemon=True).start()
    threading.settrace(recorder.trace)  # type: ignore[arg-type]
    sys.settrace(recorder.trace)  # type: ignore[arg-type]
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName(f"test.{module}")
        unittest.TextTestRunner(stream=io.StringIO(), verbosity=0).run(suite)
    finally:
        end()


# ------------------------------------------------------------------ comparing


class Flow:
    """What the core says of files."""

    def __init__(self, program: str, uses: bool) -> None:
        self.process = subprocess.Popen(
            [program, VERSION] + ["uses"] * uses, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.known: dict[str, list[dict[str, object]]] = {}

    def ask(self, path: str) -> list[dict[str, object]]:
        if path not in self.known:
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            text = Path(path).read_bytes()
            self.process.stdin.write(b"%d\n" % len(text) + text)
            self.process.stdin.flush()
            self.known[path] = json.loads(self.process.stdout.readline())
        return self.known[path]

    def edges(self, path: str) -> dict[tuple[str, int], set[Step]]:
        found: dict[tuple[str, int], set[Step]] = defaultdict(set)
        for frame in self.ask(path):
            key = (frame["name"], frame["line"])
            found[key].update(tuple(edge) for edge in frame["edges"])  # type: ignore
            found[key].update((0, line, 0) for line in frame["entries"])  # type: ignore
        return found

    def reads(self, path: str) -> dict[tuple[int, int], set[object]]:
        found: dict[tuple[int, int], set[object]] = defaultdict(set)
        for frame in self.ask(path):
            for _name, line, column, sources in frame.get("reads", []):  # type: ignore
                found[line, column].update(
                    source if isinstance(source, str) else tuple(source) for source in sources
                )
        return found


class Totals:
    def __init__(self) -> None:
        self.modules = self.frames = self.checked = self.exceptions = self.unknown = 0
        self.problems: set[str] = set()


def compare_steps(
    path: str, frames: list[list[object]], flow: Flow, totals: Totals
) -> Iterator[str]:
    edges = flow.edges(path)
    for name, line, steps in frames:
        totals.frames += 1
        if (name, line) not in edges:
            totals.unknown += 1
            yield f"{path}:{line}: no flow for {name}"
            continue
        of_function = edges[name, line]  # type: ignore[index]
        known = {(start, end) for start, end, _ in of_function}
        raising = {(start, end) for start, end, raised in of_function if raised}
        for start, end, raised in steps:  # type: ignore[attr-defined]
            totals.checked += 1
            totals.exceptions += (start, end) in raising and raised
            if (start, end) not in known:
                how = "an exception" if raised else "a step"
                yield f"{path}:{line}: {name}: {how} from {start} to {end} is no edge"


def compare_reads(
    path: str, frames: list[list[object]], flow: Flow, totals: Totals
) -> Iterator[str]:
    reads = flow.reads(path)
    for name, line, items in frames:
        totals.frames += 1
        for variable, place, source in items:  # type: ignore[attr-defined]
            if place is None:
                continue
            at = tuple(place)
            if at not in reads:
                totals.unknown += 1
                yield f"{path}:{at[0]}: {name}: {variable} is no known read"
                continue
            totals.checked += 1
            if (source if isinstance(source, str) or source is None else tuple(source)) not in (
                reads[at]
            ):
                yield f"{path}:{at[0]}: {name} ({line}): {variable} at {at} comes from {source}"


def run_all(options: argparse.Namespace) -> int:
    flow = Flow(options.program, options.values)
    totals = Totals()
    output = Path(options.output or f"/tmp/flow_oracle.{os.getpid()}.json")
    for module in options.modules or MODULES:
        output.unlink(missing_ok=True)
        command = [sys.executable, __file__, options.program, "--run", module]
        command += ["--output", str(output), "--seconds", str(options.seconds)]
        command += ["--values"] * options.values
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=options.seconds * 2 + 60,
                check=False,
            )
        if not output.exists():
            print(f"{module}: no result", flush=True)
            continue
        totals.modules += 1
        before = (totals.frames, totals.checked, len(totals.problems))
        compare = compare_reads if options.values else compare_steps
        for path, frames in json.loads(output.read_text()).items():
            if Path(path).is_file():
                module_code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
                compiled = {fingerprint(code) for code in all_code(module_code)}
                # Code that a test has patched is not that of the text.
                real = [frame for frame in frames if frame.pop() in compiled]
                for problem in compare(path, real, flow, totals):
                    if problem not in totals.problems:
                        totals.problems.add(problem)
                        print(problem, flush=True)
        print(
            f"{module}: {totals.frames - before[0]} functions, "
            f"{totals.checked - before[1]} {'reads' if options.values else 'steps'}, "
            f"{len(totals.problems) - before[2]} contradictions",
            flush=True,
        )
    output.unlink(missing_ok=True)
    print(
        f"modules {totals.modules}, functions {totals.frames}, checked {totals.checked}, of these "
        f"exception jumps {totals.exceptions}, without flow {totals.unknown}, contradictions "
        f"{len(totals.problems)}"
    )
    return 1 if totals.problems else 0


# ------------------------------------------------------------------ bytecode

ENDS = {"RETURN_VALUE", "RAISE_VARARGS", "RERAISE"}
UNCONDITIONAL = {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"}
PROLOGUE = {"RESUME", "RETURN_GENERATOR", "MAKE_CELL", "COPY_FREE_VARS"}
# Instructions that raise nothing (out of memory apart).
SILENT = {
    "NOP", "POP_TOP", "LOAD_CONST", "STORE_FAST", "COPY", "SWAP", "PUSH_EXC_INFO", "POP_EXCEPT",
    "PUSH_NULL", "BUILD_TUPLE", "BUILD_LIST", "MAKE_FUNCTION", "LOAD_CLOSURE", "RETURN_VALUE",
    "STORE_DEREF", "KW_NAMES", "PRECALL", "STORE_NAME", "STORE_GLOBAL", "LIST_APPEND", "IS_OP",
    "POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE",
} | UNCONDITIONAL | PROLOGUE  # fmt: skip


def bytecode_edges(code: types.CodeType) -> set[tuple[int, int]]:
    """Steps from line to line that the bytecode allows (CPython 3.11)."""
    instructions = list(dis.get_instructions(code))
    index = {instruction.offset: i for i, instruction in enumerate(instructions)}
    lines = [i.positions.lineno if i.positions else None for i in instructions]
    next_of: list[list[int]] = [[] for _ in instructions]
    for i, instruction in enumerate(instructions):
        name = instruction.opname
        if name in ENDS:
            continue
        if name in UNCONDITIONAL:
            next_of[i].append(index[instruction.argval])
            continue
        if i + 1 < len(instructions):
            next_of[i].append(i + 1)
        if "JUMP" in name or name in ("FOR_ITER", "SEND"):
            next_of[i].append(index[instruction.argval])
    for entry in dis._parse_exception_table(code):  # type: ignore[attr-defined]
        for i, instruction in enumerate(instructions):
            if entry.start <= instruction.offset < entry.end and instruction.opname not in SILENT:
                next_of[i].append(index[entry.target])

    def reach(start: list[int], through: Callable[[int], bool]) -> set[int]:
        seen = set(start)
        work = list(start)
        while work:
            at = work.pop()
            if through(at):
                for to in next_of[at]:
                    if to not in seen:
                        seen.add(to)
                        work.append(to)
        return seen

    edges = set()
    for i in reach([0], lambda _: True):
        if lines[i] is None or instructions[i].opname in PROLOGUE:
            continue
        if i > 0 and instructions[i - 1].opname == "RETURN_GENERATOR":
            continue
        for at in reach(next_of[i], lambda at: lines[at] is None):
            if lines[at] is not None and lines[at] != lines[i]:
                edges.add((lines[i], lines[at]))
    return edges


def all_code(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_code(constant)


def compare_bytecode(options: argparse.Namespace) -> int:
    flow = Flow(options.program, False)
    theirs = ours = missing = 0
    for path in options.modules or sorted(map(str, Path(LIBRARY).glob("*.py"))):
        try:
            module = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        expected: dict[tuple[str, int], set[tuple[int, int]]] = defaultdict(set)
        for code in all_code(module):
            expected[code.co_name, code.co_firstlineno] |= bytecode_edges(code)
        edges = flow.edges(path)
        for key, steps in expected.items():
            mine = {(start, end) for start, end, _ in edges.get(key, set()) if start}
            theirs += len(steps)
            ours += len(mine)
            missing += len(steps - mine)
            for start, end in sorted(steps - mine) if options.verbose else ():
                print(f"{path}:{key[1]}: {key[0]}: {start} to {end}")
    print(
        f"line edges of the bytecode {theirs}, of flow {ours}, ratio {ours / max(theirs, 1):.4f}, "
        f"in the bytecode only {missing}"
    )
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="oracle_flow_dump")
    parser.add_argument("modules", nargs="*", help="names of test modules; files with --bytecode")
    parser.add_argument("--values", action="store_true")
    parser.add_argument("--bytecode", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--output", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    if sys.version_info[:2] != (3, 11):
        parser.error("lines are those of CPython 3.11: run it with that version")
    if options.run:
        run_module(options.run, options.output, options.seconds, options.values)
    return compare_bytecode(options) if options.bytecode else run_all(options)


if __name__ == "__main__":
    sys.exit(main())
