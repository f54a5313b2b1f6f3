"""``graphmend explain``: what breaks in a run, what that costs, and what became of it."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphmend import running, watching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmend.explanation import Explanation, Seen

USAGE = """\
usage: graphmend explain [--once] [--json FILE] [--html FILE] SCRIPT [ARGUMENT...]
       graphmend explain [--once] [--json FILE] [--html FILE] -m MODULE [ARGUMENT...]

Runs a program twice: unheard as it is (but for fullgraph=True), then as graphmend run does. At its
end, tells on stderr of each callable that was compiled: every break at its line, what it is, the
graphs around it, the time that is lost there, and how it was mended or why not; what was compiled
again, and why; and where nothing was compiled. Child processes (workers, ranks) are told of too.
  --once       run the program only mended: breaks that are mended are told without their cost
  --plain      run the program only as it is, without mending
  --json FILE  write the same to FILE
  --html FILE  write a page for a browser to FILE: source, graphs, and where a call's time goes
In a rank of a distributed program that was started otherwise, the run is --once, and the rank is
put into the names of the files.
"""

CHILDREN = "GRAPHMEND_EXPLAIN"
"""The folder into which child processes write what they saw."""
PLAIN = "GRAPHMEND_EXPLAIN_PLAIN"


@dataclass
class _Options:
    json: str | None = None
    html: str | None = None
    once: bool = False
    plain: bool = False


def main(arguments: Sequence[str]) -> int:
    """The command; returns the exit status of the program."""
    given = list(arguments)
    if given in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    options = _options(given)
    if options is None or not given:
        print(USAGE, end="", file=sys.stderr)
        return 2
    if _rank() is not None:
        options.once = True
        options.json, options.html = _of_rank(options.json), _of_rank(options.html)
    before: list[Seen] = []
    if not options.once and not options.plain:
        before = _before(given)
    with tempfile.TemporaryDirectory() as children:
        os.environ[CHILDREN] = children
        if options.plain:
            os.environ[PLAIN] = "1"
        ran = True
        try:
            status = running.main(given)
            ran = status != running.NOT_RUN
            return status
        finally:
            if ran:
                _tell(before, collected(children), options)


def _options(given: list[str]) -> _Options | None:
    """Take the options off the arguments; None where they are wrong."""
    options = _Options()
    while given and given[0].startswith("-") and given[0] != "-m":
        name = given.pop(0)
        if name in ("--json", "--html") and given:
            setattr(options, name[2:], given.pop(0))
        elif name in ("--once", "--plain"):
            setattr(options, name[2:], True)
        else:
            return None
    return options


def _rank() -> str | None:
    return os.environ.get("RANK") if int(os.environ.get("WORLD_SIZE") or 1) > 1 else None


def _of_rank(path: str | None) -> str | None:
    if path is None:
        return None
    given = Path(path)
    return str(given.with_name(f"{given.stem}.rank{_rank()}{given.suffix}"))


def _before(given: list[str]) -> list[Seen]:
    """What is seen of the program as it is: it runs in a process of its own, unheard."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "seen.json")
        command = [sys.executable, "-m", "graphmend.cli", "explain", "--plain", "--json", str(path)]
        environment = {k: v for k, v in os.environ.items() if k not in (CHILDREN, PLAIN)}
        quiet = subprocess.DEVNULL
        subprocess.run(
            [*command, *given],
            stdin=quiet, stdout=quiet, stderr=quiet, env=environment, check=False,
        )  # fmt: skip
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            print("graphmend: the program could not be run as it is, to compare", file=sys.stderr)
            return []
    return [item["after"] for item in told["callables"]]


def start() -> None:
    """Watch what this process compiles, and its forked children; they write it at their end."""
    from multiprocessing import util

    watching.mode.on = True
    watching.mode.plain = os.environ.get(PLAIN, "") not in ("", "0")
    util.register_after_fork(watching.mode, _forked)
    _at_the_end()


def _forked(mode: watching.Mode) -> None:
    mode.watches = []
    _at_the_end()


def _at_the_end() -> None:
    import atexit
    from multiprocessing import util

    util.Finalize(None, _write, exitpriority=0)  # workers end by this way
    atexit.register(_write)


def _write() -> None:
    folder = os.environ.get(CHILDREN)
    if not folder or not os.path.isdir(folder):
        return
    found = collected(None)
    if found:
        path = Path(folder, f"{os.getpid()}.json")
        with contextlib.suppress(OSError):
            path.write_text(json.dumps(found), encoding="utf-8")


def _process() -> str:
    """What this process is called among those of the program."""
    from multiprocessing import current_process, parent_process

    if _rank() is not None:
        return f"rank {_rank()}"
    return f"worker {current_process().name}" if parent_process() is not None else ""


def collected(children: str | None) -> list[Seen]:
    """What this process saw, and its children wrote."""
    found: list[Seen] = []
    if watching.mode.watches:
        from graphmend import explanation

        name = _process()
        found = [explanation.seen(watch, name) for watch in watching.mode.watches]
    others: list[Seen] = []
    for path in Path(children).glob("*.json") if children else ():
        with contextlib.suppress(OSError, ValueError):
            others += json.loads(path.read_text(encoding="utf-8"))
    return found + sorted(others, key=lambda item: str(item["process"]))


def _tell(before: list[Seen], after: list[Seen], options: _Options) -> None:
    from graphmend import explanation

    told = explanation.combine(before, after)
    print(f"\n{told}", file=sys.stderr)
    if options.json is not None:
        Path(options.json).write_text(told.to_json(), encoding="utf-8")
    if options.html is not None:
        told.to_html(options.html)


_CALLS = 6


def explain(model: Any, *inputs: Any, **keywords: Any) -> Explanation:
    """What breaks in a call of ``model``, what that costs, and what became of it.

    The model is compiled as it is and mended, with ``backend="eager"``, and called some times in
    both ways. The calls are made on copies of the model and the inputs, and what they print is not
    shown. What can't be copied is called once, mended, for real.

    Printing the result gives the text; ``.breaks`` lists the breaks, ``.to_json()`` and
    ``.to_html(path)`` give it in other forms.
    """
    from graphmend import explanation, swap

    before: list[Seen] = []
    with watching.watching(plain=True) as watches, swap.disabled():
        if _call_copies(model, inputs, keywords):
            before = [explanation.seen(watch) for watch in watches]
    with watching.watching() as watches:
        if not _call_copies(model, inputs, keywords):
            _compiled(model)(*inputs, **keywords)
        after = [explanation.seen(watch) for watch in watches]
    return explanation.combine(before, after[-1:])


def _compiled(model: Any) -> Any:
    from graphmend.compiler import compile

    return compile(model, backend="eager")


def _call_copies(model: Any, inputs: Any, keywords: Any) -> bool:
    """Call a copy of the model some times, unheard; False where it can't be copied."""
    try:
        made = copy.deepcopy((model, inputs, keywords))
    except Exception:
        return False
    compiled, quiet = _compiled(made[0]), io.StringIO()
    with (
        contextlib.redirect_stdout(quiet),
        contextlib.redirect_stderr(quiet),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        for _ in range(_CALLS):
            compiled(*made[1], **made[2])
    return True
