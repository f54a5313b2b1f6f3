"""Shows that reading loses nothing: all files of all corpora are printed back from their trees.

    python tests/oracle/round_trip.py
    python tests/oracle/round_trip.py --every 20 some/folder

The corpora are those of ast_oracle.py; build/dev/oracle_round_trip does the work.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import cpythons


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files and folders to read")
    parser.add_argument("--version", action="append", choices=cpythons.VERSIONS)
    parser.add_argument("--every", type=int, default=1, help="take every Nth file")
    tool = cpythons.ROOT / "build" / "dev" / "oracle_round_trip"
    parser.add_argument("--tool", type=Path, default=tool)
    options = parser.parse_args()
    files: dict[Path, None] = {}
    for python in cpythons.chosen(options.version, None).values():
        files.update(dict.fromkeys(cpythons.corpora(python, options.paths)))
    listing = "".join(f"{file}\n" for file in list(files)[:: options.every])
    return subprocess.run([options.tool], input=listing, text=True, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
