"""Check that no model, and no library of models, is named in the compiler.

A rule that knows a model is a defect: what decides a rewrite is what the code does.  The names are
in tools/names.txt; they are looked for in the text and in the paths of src/ and python/.
"""

from __future__ import annotations

import re
import sys

from project import ROOT, files, place, report


def names() -> list[str]:
    lines = (ROOT / "tools" / "names.txt").read_text().splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def pattern(name: str) -> str:
    """``name`` as a word: lower case, Capitalized inside a longer name, or in capitals."""
    forms = (
        rf"(?<![a-zA-Z0-9]){re.escape(name.lower())}(?![a-z])",
        rf"{re.escape(name.capitalize())}(?![a-z])",
        rf"(?<![A-Z]){re.escape(name.upper())}(?![A-Z])",
    )
    return "|".join(dict.fromkeys(forms))


def problems() -> list[str]:
    search = re.compile("|".join(pattern(name) for name in names()))
    found = []
    for path in files("src", "python"):
        if match := search.search(str(path.relative_to(ROOT))):
            found.append(f"{place(path, 1)}: the file's name holds {match.group()!r}")
        text = path.read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), start=1):
            if match := search.search(line):
                found.append(f"{place(path, number)}: names {match.group()!r}: {line.strip()}")
    return found


if __name__ == "__main__":
    sys.exit(report(problems))
