"""Reads texts that are made to break a parser: each in time linear in its size, in bounded memory.

    python tests/oracle/hostile.py              # sizes up to a line of 100 MB
    python tests/oracle/hostile.py --size 20000 # smaller ones

Every shape is read at four sizes, each four times the last, with the scopes of what was read; the
time must grow with the size, not with its square, and memory must stay within a bound for
each byte. A shape either is valid or must be rejected. build/dev/oracle_parse_speed does the work.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import cpythons

# A step to four times the size may take this many times as long: linear is 4, quadratic 16.
MOST_GROWTH = 8.0
# Below these seconds a time says nothing.
SHORTEST = 0.005
# Bytes of tokens, tree and scopes for a byte of source; one token a byte is the worst.
MOST_MEMORY = 96.0


def random_bytes(size: int) -> bytes:
    return random.Random(1).randbytes(size)


def random_tokens(size: int) -> bytes:
    words = b"( ) [ ] { } : ; , . = := -> * ** @ if for in def class lambda f'{ }' ' \"\"\" # \\ 0x"
    words += b" 1e a async await match case type except* not ... \n \n \t \r \f"
    choice = random.Random(2).choices(words.split(b" "), k=size // 3)
    return b" ".join(choice)[:size]


def repeated(part: bytes, head: bytes = b"", tail: bytes = b"") -> Callable[[int], bytes]:
    return lambda size: head + part * max(1, (size - len(head) - len(tail)) // len(part)) + tail


# Name, text of about a size, whether it is valid; None where only decoding, which is not done here,
# turns it away.
SHAPES: list[tuple[str, Callable[[int], bytes], bool | None]] = [
    ("open brackets", repeated(b"("), False),
    ("open braces and brackets", repeated(b"{["), False),
    ("closing brackets", repeated(b")"), False),
    ("nested calls", repeated(b"f("), False),
    ("nested subscripts", repeated(b"a["), False),
    ("nested f-strings", repeated(b"f'{"), False),
    ("nested lambdas", repeated(b"lambda: "), False),
    ("powers", repeated(b"a ** "), False),
    (
        "deeper and deeper blocks",
        lambda n: b"".join(b" " * i + b"if a:\n" for i in range(int((2 * n) ** 0.5))),
        False,
    ),
    ("one line: a list", repeated(b"a, ", b"x = [", b"]\n"), True),
    ("one line: a sum", repeated(b"+ b ", b"x = a ", b"\n"), True),
    ("one line: a string", repeated(b"x", b"'", b"'\n"), True),
    ("one line: a comment", repeated(b"x", b"#"), True),
    ("one line: a name", repeated(b"x"), True),
    ("one line: statements", repeated(b"a = b; "), True),
    ("one line: names joined by dots", repeated(b".b", b"a"), True),
    ("one line: f-string fields", repeated(b"{a}", b"f'", b"'\n"), True),
    ("many lines", repeated(b"x = f(a, b)\n"), True),
    ("many functions", repeated(b"def f(a):\n    return a + b\n"), True),
    ("many distinct names", lambda n: b"".join(b"a%d = 1\n" % i for i in range(n // 12)), True),
    ("many errors", repeated(b"x = = 1\n"), False),
    ("many unclosed brackets by line", repeated(b"x = (\ndef f():\n"), False),
    ("many dedents to nowhere", repeated(b"if a:\n    b\n  c\n"), False),
    ("many unterminated strings", repeated(b"x = 'a\n"), False),
    ("many missing blocks", repeated(b"if a:\n"), False),
    ("many matches without cases", repeated(b"match a:\n"), False),
    ("many unterminated f-strings", repeated(b"x = f'{a}\n"), False),
    ("many brackets closed by others", repeated(b"[ } ]\n } \n", b"(\n"), False),
    ("many bad escapes", repeated(b"x = '\\x'\n"), False),
    ("many bad numbers", repeated(b"x = 1_\n"), False),
    ("empty lines", repeated(b"\n"), True),
    ("carriage returns", repeated(b"\r"), True),
    ("continued lines", repeated(b"\\\n", b"", b"a\n"), True),
    ("decorators", repeated(b"@a\n", b"", b"def f(): pass\n"), True),
    ("else if", repeated(b"elif a: b\n", b"if a: b\n"), True),
    ("walrus without brackets", repeated(b"a := "), False),
    ("question marks", repeated(b"?"), False),
    ("NUL bytes", repeated(b"\0"), False),
    ("random bytes", random_bytes, False),
    ("random tokens", random_tokens, False),
    ("truncated characters of two bytes", repeated(b"\xc3"), False),
    ("truncated characters of three bytes", repeated(b"\xe2\x82 "), False),
    ("truncated characters of four bytes", repeated(b"x = '\xf0\x9f\x98'\n"), None),
    ("a character cut off at the end", repeated(b"a = 1\n", b"", b"b = '\xe2\x82"), False),
    ("characters outside of ASCII", repeated("ä = 'ß€😀'\n".encode()), True),
]


def measured(tool: Path, text: bytes, folder: Path) -> dict[str, float]:
    path = folder / "text.py"
    path.write_bytes(text)
    rounds = "1" if len(text) > 4_000_000 else "3"
    run = subprocess.run(
        [tool, rounds, "scopes"], input=f"{path}\n", text=True, capture_output=True, check=False
    )
    if run.returncode != 0:
        raise SystemExit(f"the tool ended with {run.returncode} on {text[:60]!r}: {run.stderr}")
    answer: dict[str, float] = json.loads(run.stdout)
    return answer


def problems(
    tool: Path, folder: Path, shape: tuple[str, Callable[[int], bytes], bool | None], size: int
) -> Iterator[str]:
    """Reads a shape at four sizes, prints a line, and yields what is wrong."""
    name, make, valid = shape
    seconds = []
    memory = 0.0
    for step in (64, 16, 4, 1):
        text = make(size // step)
        answer = measured(tool, text, folder)
        seconds.append(answer["seconds"] + answer["scope_seconds"])
        memory = answer["memory_per_byte"]
        if valid is not None and (answer["errors"] == 0) != valid:
            yield f"{name}, {len(text)} bytes: {'rejected' if valid else 'accepted'}"
    # The mean of the steps: a single one is at the mercy of what else the machine does.
    told = list(itertools.dropwhile(lambda time: time < SHORTEST, seconds))
    growth = (told[-1] / told[0]) ** (1 / (len(told) - 1)) if len(told) > 1 else 0.0
    shown = f"{growth:.1f}" if growth else "-"
    print(f"{name:40} {len(text):>11,} {seconds[-1]:9.3f} {shown:>7} {memory:7.1f}", flush=True)
    if growth > MOST_GROWTH:
        yield f"{name}: {growth:.1f} times as long for four times the size"
    if memory > MOST_MEMORY:
        yield f"{name}: {memory:.1f} bytes of memory a byte"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--size", type=int, default=5_000_000, help="largest size of a shape")
    parser.add_argument("--line", type=int, default=100_000_000, help="size of the longest line")
    tool = cpythons.ROOT / "build" / "dev" / "oracle_parse_speed"
    parser.add_argument("--tool", type=Path, default=tool)
    options = parser.parse_args()
    found: list[str] = []
    print(f"{'shape':40} {'bytes':>11} {'seconds':>9} {'growth':>7} {'B/byte':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for shape in SHAPES:
            long = options.line > options.size and shape[0] in (
                "one line: a list",
                "one line: a string",
            )
            size = options.line if long else options.size
            found += problems(options.tool, Path(folder), shape, size)
    for problem in found:
        print(f"PROBLEM {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
