"""What ``graphmend check`` reads outside of the sources: settings, environments, git."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Sequence
from pathlib import Path

from graphmend import cache

# Settings of [tool.graphmend] that are options of the command.
LISTS = ("select", "ignore")
VALUES = ("min-certainty", "baseline", "threads", "python-version", "environment")


class UsageError(Exception):
    """The arguments or the settings are wrong; the message says what to do."""


def expand(arguments: Sequence[str]) -> list[str]:
    """The arguments that the core takes for those that the user gave."""
    given = list(arguments)
    if given[:2] == ["dump", "types"] and "--help" not in given and "-h" not in given:
        return [*given, *(f"--search-path={folder}" for folder in search_paths(None))]
    if not given or given[0] != "check" or "--help" in given or "-h" in given:
        return given
    rest, environment = _taken(given[1:], "--environment")
    rest, since = _taken(rest, "--since")
    settings = _settings(Path.cwd())
    environment = environment or settings.pop("environment", None)
    options: list[str] = []
    for name, value in settings.items():
        flag = f"--{name}"
        if not any(one == flag or one.startswith(f"{flag}=") for one in rest):
            options.append(f"{flag}={value}")
    options += [f"--search-path={folder}" for folder in search_paths(environment)]
    kept = cache.findings()
    if "--no-cache" in rest:
        rest.remove("--no-cache")
    elif kept is not None and not any(one.startswith("--cache") for one in rest):
        options.append(f"--cache={kept}")
    if since is not None:
        options.append("--only-changed")
        options += [f"--changed={lines}" for lines in changed_lines(since, Path.cwd())]
    return ["check", *options, *rest]


def _taken(arguments: list[str], option: str) -> tuple[list[str], str | None]:
    """The arguments without an option and its value, and that value."""
    rest: list[str] = []
    value: str | None = None
    given = iter(arguments)
    for argument in given:
        if argument == option:
            value = next(given, None)
            if value is None:
                raise UsageError(f"{option} takes a value")
        elif argument.startswith(f"{option}="):
            value = argument[len(option) + 1 :]
        else:
            rest.append(argument)
    return rest, value


def _settings(folder: Path) -> dict[str, str]:
    """``[tool.graphmend]`` of the closest pyproject.toml that has one."""
    for place in (folder, *folder.parents):
        file = place / "pyproject.toml"
        if not file.is_file():
            continue
        try:
            table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {})
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise UsageError(f"{file}: {error}") from error
        if "graphmend" not in table:
            return {}
        settings: dict[str, str] = {}
        for name, value in table["graphmend"].items():
            if name in LISTS and isinstance(value, list):
                settings[name] = ",".join(str(one) for one in value)
            elif name in VALUES and isinstance(value, (str, int)):
                text = str(value)
                settings[name] = str(place / text) if name == "baseline" else text
            else:
                known = ", ".join((*LISTS, *VALUES))
                raise UsageError(f"{file}: [tool.graphmend] {name}: take one of {known}")
        return settings
    return {}


def search_paths(environment: str | None) -> list[str]:
    """The folders in which an interpreter finds packages; the standard library is left out."""
    if environment is None:
        paths, standard = sys.path, sysconfig.get_path("stdlib")
    else:
        program = (
            "import json, sys, sysconfig\n"
            "print(json.dumps([sys.path, sysconfig.get_path('stdlib')]))"
        )
        try:
            done = subprocess.run(
                [environment, "-c", program], capture_output=True, text=True, check=True
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise UsageError(f"--environment {environment}: can't ask it: {error}") from error
        paths, standard = json.loads(done.stdout)
    own = str(Path(__file__).resolve().parent.parent)
    found = []
    for path in paths:
        inside = path.startswith(str(standard)) and "-packages" not in path
        if path and not inside and path != own and Path(path).is_dir():
            found.append(path)
    return found


_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def changed_lines(revision: str, folder: Path) -> list[str]:
    """``path:first-last`` of the lines that changed since a revision, as paths from ``folder``."""
    command = ["git", "diff", "--unified=0", "--no-color", "--no-ext-diff", "--relative"]
    try:
        done = subprocess.run(
            [*command, revision, "--", "."],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=True,
        )
        new = subprocess.run(
            ["git", "ls-files", "--others", "--exclude-standard", "-z"],
            cwd=folder,
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=True,
        )
    except OSError as error:
        raise UsageError(f"--since {revision}: can't run git: {error}") from error
    except subprocess.CalledProcessError as error:
        reason = str(error.stderr).strip().splitlines()
        raise UsageError(f"--since {revision}: {reason[0] if reason else error}") from error
    lines = [f"{path}:1-4294967295" for path in new.stdout.split("\0") if path]
    path = ""
    for line in done.stdout.splitlines():
        if line.startswith("+++ "):
            path = line[6:] if line.startswith("+++ b/") else ""
        elif path and (hunk := _HUNK.match(line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            if count:
                lines.append(f"{path}:{first}-{first + count - 1}")
    # However the user spells the paths.
    return [
        f"{spelt}{one[len(one.rsplit(':', 1)[0]) :]}"
        for one in lines
        for spelt in _spellings(one.rsplit(":", 1)[0], folder)
    ]


def _spellings(path: str, folder: Path) -> tuple[str, ...]:
    return path, f".{os.sep}{path}", str(folder / path)
