"""The command ``graphmend``: hands its arguments to the core, and prints what the core says.

Commands that run programs are Python.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import BinaryIO

# Command -> the module whose main() runs it, and what it does.
_COMMANDS = {
    "run": ("graphmend.running", "Run a program; what it compiles is mended first"),
    "explain": ("graphmend.explaining", "Run a program, and tell what breaks its graphs"),
    "show": ("graphmend.showing", "Show how a function is mended"),
    "replay": ("graphmend.reproduce", "Make a call again that verification found to differ"),
    "cache": ("graphmend.cache", "Tell what is kept on disk, or remove it"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with ``arguments`` (the process's own when None); return its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given and given[0] in _COMMANDS:
        return int(import_module(_COMMANDS[given[0]][0]).main(given[1:]))
    from graphmend import _core
    from graphmend.check_options import UsageError, expand

    if arguments is None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # ends the core's work, too
    try:
        expanded = expand(given)
    except UsageError as error:
        print(f"graphmend: {error}", file=sys.stderr)
        return 2
    status = _core.run_command(
        [os.fsencode(argument) for argument in expanded],
        write_output=lambda data: _write(sys.stdout.buffer, data),
        write_error=lambda data: _write(sys.stderr.buffer, _with_every_command(data)),
        read_input=lambda: sys.stdin.buffer.read(),
        decode=_decode,
    )
    if given in (["--help"], ["-h"]):
        print("\nCommands that use torch (each tells more with --help):")
        for name, (_, text) in _COMMANDS.items():
            print(f"  {name:<27} {text}")
    return status


def _with_every_command(complaint: bytes) -> bytes:
    """The core's list of commands, where it says that there is no such one, with those here."""
    first, end, rest = complaint.partition(b"\n")
    if not first.startswith(b"graphmend: ") or b"; commands: " not in first:
        return complaint
    return b"".join((first, *(f", {name}".encode() for name in _COMMANDS), end, rest))


def _write(stream: BinaryIO, data: bytes) -> bool:
    """Whether all of ``data`` could be written."""
    try:
        stream.write(data)
        stream.flush()
    except BrokenPipeError:
        # Nobody reads any more, which is no error, also not for the interpreter at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    except OSError as error:
        print(f"graphmend: can't write: {error}", file=sys.stderr)
        return False
    return True


def _decode(encoding: str, data: bytes) -> bytes | None:
    """``data`` in UTF-8; None when the encoding is unknown or the data is not in it."""
    try:
        return data.decode(encoding).encode()
    except (LookupError, UnicodeError):
        return None


if __name__ == "__main__":
    sys.exit(main())
