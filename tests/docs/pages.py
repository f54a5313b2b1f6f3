"""Pages of documentation as programs: files to write, commands to run, and what they print.

In a page, ``<!-- file: NAME -->`` before a block of code makes it a file, ``<!-- cell -->`` a cell
of the page's notebook, and a block of ``console`` holds commands after ``$`` and their output,
where ``...`` stands for any text. What is no such block is named: ``<!-- shown: why -->``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_BLOCK = re.compile(r"(?:<!-- (\w+)(?:: (.+?))? -->\n)?^```(\w*)\n(.*?)^```$", re.M | re.S)
HOME = "/home/me/project"


@dataclass
class Command:
    """A line that is typed, and what comes after it."""

    text: str
    output: list[str] = field(default_factory=list)


@dataclass
class Step:
    """One block of a page."""

    kind: str
    """``file``, ``cell``, ``console``, ``shown``, or empty for a block that is nothing."""
    name: str
    text: str

    @property
    def commands(self) -> list[Command]:
        """The commands of a console."""
        found: list[Command] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                found.append(Command(line[2:]))
            else:
                found[-1].output.append(line)
        return found


def steps(text: str) -> list[Step]:
    """The blocks of a page, in order."""
    found = []
    for mark, name, language, body in _BLOCK.findall(text):
        kind = "console" if language == "console" else mark
        found.append(Step(kind, name, body))
    return found


def plain(text: str, folder: Path) -> list[str]:
    """Output without what differs from run to run."""
    text = text.replace(str(folder), HOME)
    text = re.sub(r"\d+(\.\d+)? ms", "N ms", text)
    text = re.sub(r"\d+% of", "N% of", text)
    text = re.sub(r"\d+\.\d+s\b", "Ns", text)
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def fits(wanted: list[str], got: list[str]) -> bool:
    """Whether output is what a page says."""
    lines = (
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*?") + r"\n"
        for line in wanted
    )
    return re.fullmatch("".join(lines), "".join(line + "\n" for line in got)) is not None
