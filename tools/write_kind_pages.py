"""Write docs/kinds from the catalogue in the core."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

from graphmend import _core

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "kinds"


def printed(*arguments: str) -> str:
    """What a command prints."""
    out = io.BytesIO()
    _core.run_command(
        [one.encode() for one in arguments],
        write_output=lambda data: bool(out.write(data)) or True,
        write_error=lambda data: True,
        read_input=lambda: b"",
        decode=lambda encoding, data: None,
    )
    return out.getvalue().decode()


def main() -> int:
    FOLDER.mkdir(parents=True, exist_ok=True)
    kinds = [line.split()[0] for line in printed("rules").splitlines()]
    for path in FOLDER.glob("*.md"):
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
    for kind in kinds:
        (FOLDER / f"{kind}.md").write_text(printed("rules", kind), encoding="utf-8")
    (FOLDER / "README.md").write_text(printed("rules", "--markdown"), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
