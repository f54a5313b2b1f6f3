"""Compare def-use, liveness and definite assignment with all paths of small random functions.

Each random function is run by Python on every way through it (up to a bound): conditions, loops,
exceptions and context managers ask a list of choices what to do. What was read, live and bound on
these ways is what the flow must say, no more and no less::

    python tests/oracle/flow_paths.py build/dev/oracle_flow_dump --count 500
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator

NAMES = "xyz"
UNBOUND = "unbound"


class Choice(Exception):  # noqa: N818
    """What the helpers raise."""


class Writer:
    """Writes a random function, a statement a line."""

    def __init__(self, rng: random.Random, size: int) -> None:
        self.rng = rng
        self.left = size
        self.lines = ["def f():"]

    def add(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text.replace("@", str(len(self.lines) + 1)))

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def block(self, depth: int, loop: bool, *, in_star: bool = False) -> None:
        for _ in range(self.rng.randint(1, 3)):
            self.statement(depth, loop and not in_star, in_star)
            if self.left <= 0:
                break

    def statement(self, depth: int, loop: bool, in_star: bool) -> None:
        self.left -= 1
        simple = ["bind", "bind", "bind", "use", "use", "mark", "plain", "del", "aug", "walrus"]
        simple += ["comp", "raise", "boolop", "ifexp", "unpack", "consumer"]
        if not in_star:
            simple.append("return")
        if loop:
            simple += ["break", "continue"]
        nested = ["if", "if", "while", "for", "try", "try", "finally", "with", "match", "forever"]
        if depth > 4 or self.left < 2:
            kind = self.rng.choice(simple)
        else:
            kind = self.rng.choice(simple + nested * 2)
        getattr(self, "write_" + kind)(depth, loop, in_star)

    def write_bind(self, d: int, *_: bool) -> None:
        self.add(d, f"{self.name()} = d(@)")

    def write_plain(self, d: int, *_: bool) -> None:
        self.add(d, f"{self.name()} = [@]")

    def write_use(self, d: int, *_: bool) -> None:
        self.add(d, f"u(@, {self.name()})")

    def write_mark(self, d: int, *_: bool) -> None:
        self.add(d, "m(@)")

    def write_del(self, d: int, *_: bool) -> None:
        name = self.name()
        self.add(d, f"u(@, {name})")
        self.add(d, f"del {name}")

    def write_aug(self, d: int, *_: bool) -> None:
        self.add(d, f"{self.name()} = d(@, u(@, {self.name()}))")

    def write_walrus(self, d: int, *_: bool) -> None:
        self.add(d, f"c() and ({self.name()} := d(@))")

    def write_boolop(self, d: int, *_: bool) -> None:
        self.add(d, f"c() or u(@, {self.name()})")

    def write_ifexp(self, d: int, *_: bool) -> None:
        self.add(d, f"{self.name()} = d(@) if c() else d(@, u(@, {self.name()}))")

    def write_comp(self, d: int, *_: bool) -> None:
        self.add(d, f"[({self.name()} := d(@)) for _ in it() if c()]")

    def write_consumer(self, d: int, *_: bool) -> None:
        self.add(d, f"any(({self.name()} := d(@)) for _ in it())")

    def write_unpack(self, d: int, *_: bool) -> None:
        names = self.rng.sample(NAMES, 2)
        self.add(d, f"{names[0]}, {names[1]} = two(@)")

    def write_raise(self, d: int, *_: bool) -> None:
        self.add(d, "raise Choice")

    def write_return(self, d: int, *_: bool) -> None:
        self.add(d, "return d(@)")

    def write_break(self, d: int, *_: bool) -> None:
        self.add(d, "break")

    def write_continue(self, d: int, *_: bool) -> None:
        self.add(d, "if c(): continue")

    def write_if(self, d: int, loop: bool, star: bool) -> None:
        self.add(d, "if c():" if self.rng.random() < 0.7 else "if not c() or c():")
        self.block(d + 1, loop, in_star=star)
        if self.rng.random() < 0.3:
            self.add(d, "elif c():")
            self.block(d + 1, loop, in_star=star)
        if self.rng.random() < 0.5:
            self.add(d, "else:")
            self.block(d + 1, loop, in_star=star)
        self.add(d, "m(@)")

    def write_while(self, d: int, loop: bool, star: bool) -> None:
        self.add(d, "while c():")
        self.block(d + 1, True)
        self.loop_else(d, loop, star)

    def write_forever(self, d: int, _loop: bool, _star: bool) -> None:
        self.add(d, "while True:")
        self.block(d + 1, True)
        self.add(d + 1, "if c(): break")
        self.add(d, "m(@)")

    def write_for(self, d: int, loop: bool, star: bool) -> None:
        self.add(d, f"for {self.name()} in it(@):")
        self.block(d + 1, True)
        self.loop_else(d, loop, star)

    def loop_else(self, d: int, loop: bool, star: bool) -> None:
        if self.rng.random() < 0.4:
            self.add(d, "else:")
            self.block(d + 1, loop, in_star=star)
        self.add(d, "m(@)")

    def write_try(self, d: int, loop: bool, star: bool) -> None:
        self.add(d, "try:")
        self.block(d + 1, loop, in_star=star)
        groups = self.rng.random() < 0.15
        for i in range(self.rng.randint(1, 2)):
            last = i == 1 and not groups
            form = self.rng.choice(["except t():", f"except t() as {self.name()}:", "except:"])
            if form == "except:" and not last:
                form = "except t():"
            if " as " in form:
                form = form.replace("t()", "t(@)")
            self.add(d, form.replace("except", "except*", 1) if groups else form)
            self.block(d + 1, loop, in_star=star or groups)
        if self.rng.random() < 0.3:
            self.add(d, "else:")
            self.block(d + 1, loop, in_star=star)
        if self.rng.random() < 0.3:
            self.add(d, "finally:")
            self.block(d + 1, loop, in_star=star)
        self.add(d, "m(@)")

    def write_finally(self, d: int, loop: bool, star: bool) -> None:
        self.add(d, "try:")
        self.block(d + 1, loop, in_star=star)
        self.add(d, "finally:")
        self.block(d + 1, loop, in_star=star)
        self.add(d, "m(@)")

    def write_with(self, d: int, loop: bool, star: bool) -> None:
        self.add(d, f"with w(@) as {self.name()}:" if self.rng.random() < 0.5 else "with w(@):")
        self.block(d + 1, loop, in_star=star)
        self.add(d, "m(@)")

    def write_match(self, d: int, loop: bool, star: bool) -> None:
        self.add(d, "match q(@):")
        for pattern in self.rng.sample(["[{}]", "({{'a': {}}} | [{}, 0])", "{} if c()"], 2):
            name = self.name()
            self.add(d + 1, f"case {pattern.format(name, name)}:")
            self.block(d + 2, loop, in_star=star)
        self.add(d, "m(@)")


class Run:
    """One way through a function."""

    def __init__(self, choices: list[int], limit: int) -> None:
        self.given = choices
        self.limit = limit
        self.made: list[tuple[int, int]] = []  # the choice, and the number there were
        self.reads: set[tuple[int, str, object]] = set()
        self.used: list[tuple[str, object]] = []  # names and values, in order of use
        self.marks: list[tuple[int, dict[str, object], int]] = []  # with the uses before
        self.late = 0

    @property
    def over(self) -> bool:
        """Too long: choices now only lead to the end, and nothing is noted."""
        return self.late > 0

    def choose(self, count: int) -> int:
        index = len(self.made)
        if index >= self.limit:
            self.late += 1
            return 0
        choice = self.given[index] if index < len(self.given) else 0
        self.made.append((choice, count))
        return choice


def environment(run: Run) -> dict[str, object]:
    """The helpers that generated functions call."""

    class Tag:
        """A value that knows the line that bound it, true or false as it likes."""

        def __init__(self, line: int) -> None:
            self.line = line

        def __bool__(self) -> bool:
            return c()

    def risk() -> None:
        if run.choose(2):
            raise Choice

    def source(value: object) -> object:
        if isinstance(value, BaseExceptionGroup):
            value = value.exceptions[0]
        if isinstance(value, dict):
            value = value["a"]
        if isinstance(value, list):
            return getattr(value[0], "line", value[0])
        return getattr(value, "line", value)

    def d(line: int, _value: object = None) -> Tag:
        risk()
        return Tag(line)

    def u(line: int, name: str, value: object) -> None:
        if not run.over:
            run.reads.add((line, name, source(value)))
            run.used.append((name, value))
        risk()

    def m(line: int, scope: dict[str, object]) -> None:
        if not run.over:
            values = {n: scope[n] for n in NAMES if n in scope}
            run.marks.append((line, values, len(run.used)))
        risk()

    def c() -> bool:
        choice = run.choose(3)
        if run.over:
            return run.late % 2 == 0
        if choice == 2:
            raise Choice
        return choice == 1

    def it(line: int = 0) -> Iterator[Tag]:
        while True:
            choice = run.choose(3)
            if choice == 2:
                raise Choice
            if choice == 0:
                return
            yield Tag(line)

    def t(line: int = 0) -> type[BaseException]:
        choice = run.choose(3)
        if choice == 2:
            raise Choice
        if choice == 1:
            return KeyError
        active = sys.exc_info()[1]
        if active is not None:
            active.line = line  # type: ignore[attr-defined]
        return Exception

    class Pair:
        """Two values; unpacking them may fail."""

        def __init__(self, line: int) -> None:
            self.line = line

        def __iter__(self) -> Iterator[Tag]:
            risk()
            return iter((Tag(self.line), Tag(self.line)))

    def two(line: int) -> Pair:
        risk()
        return Pair(line)

    class w:  # noqa: N801
        def __init__(self, line: int) -> None:
            risk()
            self.line = line

        def __enter__(self) -> Tag:
            risk()
            return Tag(self.line)

        def __exit__(self, kind: object, _value: object, _trace: object) -> bool:
            choice = run.choose(3 if kind else 2)
            if choice == 1:
                raise Choice
            return choice == 2

    def q(line: int) -> object:
        risk()
        tag = Tag(-line)
        return [[tag, 1, 1], {"a": tag}, [tag, 0], [tag]][run.choose(4)]

    return {**{f.__name__: f for f in (d, u, m, c, it, t, two, w, q)}, "Choice": Choice}


def instrument(text: str) -> str:
    """The same lines, with what the helpers want to know."""
    text = re.sub(
        r"u\((\d+), (\w)\)", rf"u(\1, '\2', \2 if '\2' in locals() else '{UNBOUND}')", text
    )
    text = re.sub(r"m\((\d+)\)", r"m(\1, locals())", text)
    text = re.sub(r"^(\s*)del (\w)$", r"\1if '\2' in locals(): del \2", text, flags=re.MULTILINE)
    # The same for our exceptions, and lets errors of this program through.
    return re.sub(r"^(\s*)except:$", r"\1except Choice:", text, flags=re.MULTILINE)


class Seen:
    """What happened on all ways through a function."""

    def __init__(self) -> None:
        self.reads: set[tuple[int, str, object]] = set()
        self.visited: set[int] = set()
        self.live: set[tuple[int, str]] = set()
        self.maybe_unbound: set[tuple[int, str]] = set()
        self.complete = True

    def add(self, run: Run) -> None:
        self.reads |= run.reads
        for line, values, before in run.marks:
            self.visited.add(line)
            rest = run.used[before:]
            for name in NAMES:
                if name not in values:
                    self.maybe_unbound.add((line, name))
                    first = next((value for used, value in rest if used == name), None)
                    if first == UNBOUND:
                        self.live.add((line, name))
                elif any(used == name and value is values[name] for used, value in rest):
                    self.live.add((line, name))


def explore(text: str, deviations: int, runs: int) -> Seen:
    code = compile(instrument(text), "generated", "exec")
    seen = Seen()
    stack: list[list[int]] = [[]]
    while stack:
        if runs == 0:
            seen.complete = False
            break
        runs -= 1
        given = stack.pop()
        run = Run(given, 40)
        scope = environment(run)
        exec(code, scope)
        with contextlib.suppress(Choice, BaseExceptionGroup):
            scope["f"]()  # type: ignore[operator]
        seen.add(run)
        spent = sum(choice != 0 for choice in given)
        if spent < deviations:
            for index in range(len(given), len(run.made)):
                done = [choice for choice, _ in run.made[:index]]
                stack.extend([*done, other] for other in range(1, run.made[index][1]))
    return seen


class Flow:
    """What the core says."""

    def __init__(self, program: str) -> None:
        self.process = subprocess.Popen(
            [program, "3.11", "uses"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def ask(self, text: str) -> dict[str, list[list[object]]]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        data = text.encode()
        self.process.stdin.write(b"%d\n" % len(data) + data)
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        return next(frame for frame in answer if frame["name"] == "f")


def match_lines(text: str) -> dict[int, int]:
    """For each line of a `case`, minus the line of its `match`, as q() tells it."""
    found = {}
    open_matches: list[tuple[int, int]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        indent = len(line) - len(line.lstrip())
        open_matches = [entry for entry in open_matches if entry[0] < indent]
        if line.lstrip().startswith("match "):
            open_matches.append((indent, number))
        elif line.lstrip().startswith("case "):
            found[number] = -open_matches[-1][1]
    return found


def differences(text: str, frame: dict[str, list[list[object]]], seen: Seen) -> list[str]:
    """Contradictions; with `seen.complete`, also what is said and never happens."""
    cases = match_lines(text)
    said: set[tuple[int, str, object]] = set()
    probes = {(line, name) for line, name in probe_places(text)}
    for name, line, _column, sources in frame["reads"]:
        if (line, name) in probes:
            for origin in sources:  # type: ignore[attr-defined]
                at = origin if isinstance(origin, str) else cases.get(origin[0], origin[0])
                said.add((line, name, at))  # type: ignore[arg-type]
    problems = [f"read not listed: {item}" for item in sorted(seen.reads - said, key=str)]
    statements = {entry[0]: entry for entry in frame["statements"]}
    marks = [n for n, line in enumerate(text.splitlines(), 1) if line.lstrip().startswith("m(")]
    for line in marks:
        _, reachable, live, assigned = statements[line]
        if line in seen.visited and not reachable:
            problems.append(f"reached: {line}")
        if seen.complete and reachable and line not in seen.visited:
            problems.append(f"never reached: {line}")
        if line not in seen.visited:
            continue
        for name in NAMES:
            if name not in text:
                continue
            is_live = (line, name) in seen.live
            if is_live and name not in live:  # type: ignore[operator]
                problems.append(f"live: {name} at {line}")
            if seen.complete and not is_live and name in live:  # type: ignore[operator]
                problems.append(f"not live: {name} at {line}")
            maybe = (line, name) in seen.maybe_unbound
            if maybe and name in assigned:  # type: ignore[operator]
                problems.append(f"may be unbound: {name} at {line}")
            known = any(entry[0] == name for entry in frame["reads"])
            if seen.complete and known and not maybe and name not in assigned:  # type: ignore[operator]
                problems.append(f"always bound: {name} at {line}")
    if seen.complete:
        problems += [f"read listed in vain: {item}" for item in sorted(said - seen.reads, key=str)]
    return problems


def probe_places(text: str) -> Iterator[tuple[int, str]]:
    for match in re.finditer(r"u\((\d+), (\w)\)", text):
        yield int(match[1]), match[2]


def generate(seed: int, size: int) -> str:
    rng = random.Random(seed)
    writer = Writer(rng, size)
    while writer.left > 0:
        writer.statement(1, False, False)
    for name in NAMES:
        writer.write_mark(1)
        writer.add(1, f"u(@, {name})")
    # Makes all names local.
    writer.add(1, "return")
    writer.add(1, f"{' = '.join(NAMES)} = None")
    return "\n".join(writer.lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="oracle_flow_dump")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, default=5)
    options = parser.parse_args()
    flow = Flow(options.program)
    bad = complete = checked = 0
    for seed in range(options.seed, options.seed + options.count):
        text = generate(seed, options.size)
        frame = flow.ask(text)
        # What is said in vain at first may need a longer way.
        for deviations, runs in ((3, 1000), (5, 8000), (7, 60000)):
            seen = explore(text, deviations, runs)
            problems = differences(text, frame, seen)
            if not problems or any(p.startswith("read not") for p in problems):
                break
        checked += len(seen.reads)
        complete += seen.complete
        if problems:
            bad += 1
            print(f"seed {seed}:", *problems, sep="\n  ")
            for number, line in enumerate(text.splitlines(), start=1):
                print(f"{number:4} {line}")
    print(
        f"functions {options.count}, explored fully {complete}, pairs of load and binding "
        f"{checked}, functions with differences {bad}"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
