"""Write the expected texts of the golden cases anew: ``python tests/mends/update.py [NAME ...]``.

Read the difference before it is committed: a golden text says what was intended.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from support import GOLDEN, cases, render


def main(names: list[str]) -> None:
    """Write the expected text of the named cases, by default of all."""
    for case in cases(GOLDEN):
        if names and case.path.stem not in names:
            continue
        expected = case.path.with_suffix(".txt")
        text = render(case.mend())
        if not expected.exists() or expected.read_text(encoding="utf-8") != text:
            expected.write_text(text, encoding="utf-8")
            print(expected.name)
    for path in sorted(GOLDEN.glob("*.txt")):
        if not path.with_suffix(".py").exists():
            path.unlink()
            print(f"{path.name} removed")


if __name__ == "__main__":
    main(sys.argv[1:])
