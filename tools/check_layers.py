"""Check that a folder of src/ includes only itself and the folders above it."""

from __future__ import annotations

import re
import sys

from project import files, place, report, stages

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
# Only the binding may see Python, and nothing may see PyTorch's own C++.
PYTHON_ONLY = ("nanobind/", "Python.h")
NEVER = ("torch/", "ATen/", "c10/")


def problems() -> list[str]:
    order = [*stages(), "python"]
    found = []
    for path in files("src", suffixes=(".h", ".cpp", ".def")):
        folder = path.parent.name
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            match = INCLUDE.match(line)
            if match is None:
                continue
            form, name = match.groups()
            where = place(path, number)
            if form == "<":
                if name.startswith(PYTHON_ONLY) and folder != "python":
                    found.append(f"{where}: only src/python may include <{name}>")
                if name.startswith(NEVER):
                    found.append(f"{where}: the core includes nothing of PyTorch: <{name}>")
                continue
            target = name.split("/")[0]
            if "/" not in name or target not in order:
                found.append(f'{where}: "{name}" is not of the form "<stage>/<file>"')
            elif folder not in order:
                found.append(f"{where}: src/{folder} is not a stage of CMakeLists.txt")
            elif order.index(target) > order.index(folder):
                found.append(f"{where}: {folder} may not include {target}, which comes after it")
    return found


if __name__ == "__main__":
    sys.exit(report(problems))
