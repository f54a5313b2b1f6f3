"""The core of graphmend: analysis and rewriting of Python source."""

from collections.abc import Callable, Mapping, Sequence

def version() -> str:
    """The version of the core."""

class Site:
    """One site of a function: a place that breaks the graph."""

    @property
    def id(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def gb(self) -> str: ...
    @property
    def certainty(self) -> str: ...
    @property
    def mend(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def advice(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...
    @property
    def end_line(self) -> int: ...
    @property
    def end_column(self) -> int: ...
    @property
    def last_line(self) -> int: ...
    @property
    def status(self) -> str: ...
    @property
    def outline_text(self) -> str: ...
    @property
    def outline_lines(self) -> list[tuple[int, int | None]]: ...
    @property
    def params(self) -> list[str]: ...
    @property
    def calls(self) -> list[str]: ...

class MendedFunction:
    """What mend_function found and wrote."""

    @property
    def status(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def sites(self) -> list[Site]: ...
    @property
    def original_text(self) -> str: ...
    @property
    def original_lines(self) -> list[tuple[int, int | None]]: ...
    @property
    def text(self) -> str: ...
    @property
    def lines(self) -> list[tuple[int, int | None]]: ...

class Source:
    """The text of a module, made once for all its functions."""

    def __init__(self, source: bytes) -> None:
        """`source`: the text in UTF-8."""

def mend_function(
    source: Source,
    path: str,
    line: int,
    name: str,
    *,
    freevars: Sequence[str] = [],
    class_name: str | None = None,
    asserts: bool = True,
    facts: Mapping[str, str] = {},
) -> MendedFunction:
    """
    Mends the function whose `def` (or first decorator) stands at `line` of `source`: a Source, or bytes in UTF-8.
    """

def impurity_of_function(
    source: Source,
    path: str,
    line: int,
    name: str,
    *,
    freevars: Sequence[str] = [],
    class_name: str | None = None,
    facts: Mapping[str, str] = {},
) -> str:
    """
    Why a call of the function may do more than give a value; empty when it is pure.
    """

def run_command(
    arguments: Sequence[bytes],
    *,
    write_output: Callable[[bytes], bool],
    write_error: Callable[[bytes], bool],
    read_input: Callable[[], bytes],
    decode: Callable[[str, bytes], bytes | None],
) -> int:
    """
    Runs the command line; returns its exit status. The functions must not raise: `write_...` say whether all was written, `decode` gives UTF-8, or None.
    """
