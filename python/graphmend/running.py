"""``graphmend run``: a script or a module as Python runs it, with the hook installed."""

from __future__ import annotations

import builtins
import importlib.util
import os
import pkgutil
import sys
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from graphmend import hook

if TYPE_CHECKING:
    from collections.abc import Sequence

USAGE = """\
usage: graphmend run [--report] [--verify first|sample|always] SCRIPT [ARGUMENT...]
       graphmend run [--report] [--verify first|sample|always] -m MODULE [ARGUMENT...]

Runs a program as python would; torch.compile in it, and in its child processes, mends first.
  --report   at the end, print to stderr what was mended and what still breaks
  --verify   also run the original, and compare: the first calls, some, or all
"""


NOT_RUN = 2
"""The exit status where there is nothing to run."""


class Unrunnable(Exception):  # noqa: N818 - told to the user as it is
    """The program can't be found."""


def main(arguments: Sequence[str]) -> int:
    """The command; returns the exit status of the program."""
    given = list(arguments)
    told = False
    module = False
    while given and given[0].startswith("-"):
        option = given.pop(0)
        if option == "--report":
            told = True
        elif option == "--verify" and given:
            os.environ["GRAPHMEND_VERIFY"] = given.pop(0)
        elif option == "-m" and given:
            module = True
            break
        elif option in ("-h", "--help"):
            print(USAGE, end="")
            return 0
        elif option == "--":
            break
        else:
            print(f"graphmend run: unknown option {option}\n{USAGE}", end="", file=sys.stderr)
            return NOT_RUN
    if not given:
        print(USAGE, end="", file=sys.stderr)
        return NOT_RUN
    os.environ.setdefault(hook.VARIABLE, "1")  # for child processes
    hook.install_from_environment()
    try:
        code, main_module = of_module(given[0]) if module else of_script(given[0])
    except Unrunnable as problem:
        print(f"graphmend run: {problem}", file=sys.stderr)
        return NOT_RUN
    sys.argv[:] = [getattr(main_module, "__file__", None) or given[0], *given[1:]]
    if not module:
        sys.argv[0] = given[0]
    try:
        return execute(code, main_module)
    finally:
        if told:
            _tell()


def execute(code: CodeType, main_module: ModuleType) -> int:
    """Run the code of ``__main__``; a traceback begins with the program's own frames."""
    sys.modules["__main__"] = main_module
    try:
        exec(code, vars(main_module))
    except SystemExit:
        raise
    except BaseException as problem:
        trace = problem.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
            trace = trace.tb_next
        if isinstance(problem, KeyboardInterrupt):
            raise
        sys.excepthook(type(problem), problem.with_traceback(trace), trace)
        return 1
    return 0


def of_script(path: str) -> tuple[CodeType, ModuleType]:
    """The code of a script, or of a folder or zip file with a ``__main__``, and its module."""
    importer: Any = pkgutil.get_importer(path)
    if importer is not None:
        spec = importer.find_spec("__main__")
        if spec is None or spec.loader is None:
            raise Unrunnable(f"{path} has no __main__ to run")
        sys.path[0:1] = [path]
        code = spec.loader.get_code("__main__")
        return code, _main(spec.origin, spec.loader, spec=spec)
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as problem:
        raise Unrunnable(f"can't open {path}: {problem.strerror}") from problem
    sys.path[0:1] = [os.path.dirname(os.path.realpath(path))]
    try:
        code = compile(text, path, "exec", dont_inherit=True)
    except SyntaxError as problem:
        sys.excepthook(type(problem), problem.with_traceback(None), None)
        raise SystemExit(1) from None
    from importlib.machinery import SourceFileLoader

    return code, _main(path, SourceFileLoader("__main__", path))


def of_module(name: str) -> tuple[CodeType, ModuleType]:
    """The code of ``python -m name``, and its module."""
    sys.path[0:1] = [os.getcwd()]
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except (ImportError, ValueError) as problem:
        raise Unrunnable(f"can't find the module {name}: {problem}") from problem
    loader: Any = spec.loader if spec is not None else None
    code = loader.get_code(spec.name) if spec is not None and loader is not None else None
    if spec is None or code is None:
        raise Unrunnable(f"can't find code of the module {name}")
    return code, _main(spec.origin, loader, spec=spec)


def _main(path: str | None, loader: Any, spec: Any = None) -> ModuleType:
    module = ModuleType("__main__")
    module.__dict__.update(
        __builtins__=builtins,
        __file__=path,
        __cached__=None,
        __doc__=None,
        __loader__=loader,
        __package__=spec.parent if spec is not None else None,
        __spec__=spec,
    )
    return module


def _tell() -> None:
    if "graphmend.mending" not in sys.modules:
        print("graphmend: nothing was compiled here", file=sys.stderr)
        return
    from graphmend import reports

    print(reports.report(), file=sys.stderr)
