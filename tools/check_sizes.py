"""Check that no source file has grown past what one reads in a sitting."""

from __future__ import annotations

import sys

from project import files, place, report

LIMIT = 600


def problems() -> list[str]:
    found = []
    for path in files(
        "src", "python", "tools", "bench", "tests", suffixes=(".h", ".cpp", ".def", ".py")
    ):
        lines = path.read_bytes().count(b"\n")
        if lines > LIMIT and "data" not in path.parts:
            found.append(f"{place(path, lines)}: {lines} lines, more than {LIMIT}: split it")
    return found


if __name__ == "__main__":
    sys.exit(report(problems))
