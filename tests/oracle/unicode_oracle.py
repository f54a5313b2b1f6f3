"""Compares the tables of characters with each CPython's own Unicode.

    python tests/oracle/unicode_oracle.py
    python tests/oracle/unicode_oracle.py --version 3.11 --every 50

For every code point: whether it may start or continue an identifier, and whether it is printable;
for every identifier character alone, and for many sequences with characters that combine, the
normal form (NFKC); for every name of a character, and for names that are none, what `\\N{...}`
stands for.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import unicodedata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


# ------------------------------------------------------------------ under the CPython compared with


def bits_of(character):
    """The properties of a character, as the tool encodes them."""
    starts = character.isidentifier()
    continues = ("a" + character).isidentifier()
    return starts | continues << 1 | character.isprintable() << 2


def sequences(points, count):
    """Identifiers made of characters that like to combine with each other."""
    generator = random.Random(1)
    combining = [point for point in points if unicodedata.combining(chr(point))]
    changing = [
        point for point in points if unicodedata.normalize("NFKC", chr(point)) != chr(point)
    ]
    hangul = [
        *range(0x1100, 0x1113),
        *range(0x1161, 0x1176),
        *range(0x11A8, 0x11C3),
        0xAC00,
        0xAC01,
    ]
    hangul = [point for point in hangul if ("a" + chr(point)).isidentifier()]
    for _ in range(count):
        pools = generator.choices((points, combining, changing, hangul), (3, 5, 2, 2), k=5)
        yield "a" + "".join(chr(generator.choice(pool)) for pool in pools)


def questions(every):
    """What to ask the tool, and the answers of this CPython."""
    points = [point for point in range(128, 0x110000) if bits_of(chr(point)) & 2]
    for point in points[::every]:
        yield "I a" + chr(point), unicodedata.normalize("NFKC", "a" + chr(point))
    for text in sequences(points, 200000 // every):
        yield "I " + text, unicodedata.normalize("NFKC", text)
    for point in range(0, 0x110000, every):
        name = unicodedata.name(chr(point), "")
        if name:
            yield "N " + name, f"{point:x}"
            # Most names with a letter too many, or too few, are none; case matters in some.
            for other in (name.lower(), name + "X", name[:-1]):
                try:
                    character = unicodedata.lookup(other)
                except KeyError:
                    character = ""
                yield "N " + other, f"{ord(character):x}" if len(character) == 1 else "-"


def work(program, every, show):
    tool = subprocess.Popen(
        [program, "%d.%d" % sys.version_info[:2]], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    counts = {"code points": 0, "normal forms": 0, "names": 0, "different": 0}

    def different(what, ours, theirs):
        counts["different"] += 1
        if counts["different"] <= show:
            print(f"  {what}: {theirs!r}, ours {ours!r}", flush=True)

    table = tool.stdout.read(0x110000)
    for point in range(0x110000):
        if 0xD800 <= point < 0xE000:
            continue
        counts["code points"] += 1
        if table[point] != bits_of(chr(point)):
            different(f"U+{point:04X}", table[point], bits_of(chr(point)))
    batch = []

    def ask():
        data = "".join(question + "\n" for question, _ in batch).encode()
        tool.stdin.write(data)
        tool.stdin.flush()
        for question, theirs in batch:
            ours = tool.stdout.readline().decode().rstrip("\n")
            counts["names" if question.startswith("N") else "normal forms"] += 1
            if ours != theirs:
                different(question, ours, theirs)
        batch.clear()

    for question in questions(every):
        batch.append(question)
        # Few enough that neither side waits with a full pipe.
        if len(batch) == 200:
            ask()
    ask()
    print("FIGURES " + json.dumps(counts), flush=True)


# --------------------------------------------------------------------------- under any Python 3.11+


def main():
    if sys.argv[1:2] == ["--work"]:
        return work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    import cpythons

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", action="append", choices=cpythons.VERSIONS)
    parser.add_argument("--python", action="append", type=Path, help="a CPython to compare with")
    parser.add_argument("--every", type=int, default=1, help="take every Nth name and normal form")
    parser.add_argument("--show", type=int, default=10, help="differences to print a version")
    parser.add_argument("--tool", type=Path, default=ROOT / "build" / "dev" / "oracle_unicode_dump")
    options = parser.parse_args()
    rows = []
    for version, python in cpythons.chosen(options.version, options.python).items():
        command = [python, __file__, "--work", options.tool, str(options.every), str(options.show)]
        figures = {}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
            for line in run.stdout:
                if line.startswith("FIGURES "):
                    figures = json.loads(line[len("FIGURES ") :])
                else:
                    print(version, line, end="", flush=True)
        if not figures:
            raise SystemExit(f"the comparison under {python} ended early")
        rows.append([version, *figures.values()])
    cpythons.print_table(["version", "code points", "normal forms", "names", "different"], rows)
    return 1 if not rows or any(row[-1] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
