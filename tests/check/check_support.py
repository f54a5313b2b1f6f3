"""Runs ``graphmend check`` in this process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graphmend import _core, check_options

CASES = Path(__file__).parent / "cases"


@dataclass
class Done:
    status: int
    output: str
    errors: str


def run(arguments: Sequence[str]) -> Done:
    output: list[bytes] = []
    errors: list[bytes] = []

    def into(place: list[bytes]):
        def write(data: bytes) -> bool:
            place.append(data)
            return True

        return write

    def decode(encoding: str, data: bytes) -> bytes | None:
        try:
            return data.decode(encoding).encode()
        except (LookupError, UnicodeError):
            return None

    status = _core.run_command(
        [one.encode() for one in check_options.expand(arguments)],
        write_output=into(output),
        write_error=into(errors),
        read_input=lambda: b"",
        decode=decode,
    )
    return Done(status, b"".join(output).decode(), b"".join(errors).decode())


def check(*arguments: str) -> Done:
    return run(["check", *arguments])
