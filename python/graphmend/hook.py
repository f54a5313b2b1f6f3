"""The hook: while it is installed, ``torch.compile`` is :func:`graphmend.compile`.

Functions are mended when they are compiled, so nothing is done to a module when it is imported. The
hook waits for the import of torch where that has not happened yet; what the user or a library calls
``torch.compile`` then, and ``Module.compile``, mends first. Nothing here imports torch.
"""

from __future__ import annotations

import functools
import importlib.util
import logging
import os
import sys
from importlib.abc import MetaPathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

log = logging.getLogger("graphmend")
VARIABLE = "GRAPHMEND"
PACKAGES = "GRAPHMEND_PACKAGES"
_MODULE = "torch.nn.modules.module"
_installed = False
packages: tuple[str, ...] | None = None
"""The packages whose functions are mended; None for all."""
_original: Any = None
_replacement: Any = None


def install(packages: Iterable[str] | None = None) -> None:
    """Let ``torch.compile`` and ``Module.compile`` mend what they compile, from now on.

    ``packages`` names the top packages or modules whose functions may be mended (all but torch and
    the standard library where it is not given). What was compiled before stays as it is.
    """
    global _installed
    globals()["packages"] = None if packages is None else tuple(packages)
    if _installed:
        return
    _installed = True
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "compile"):
        _patch(torch)
    else:
        sys.meta_path.insert(0, _Waiting())


def install_from_environment() -> None:
    """Install as the environment says; a failure is told and changes nothing."""
    try:
        named = os.environ.get(PACKAGES, "")
        install(named.replace(",", " ").split() or None)
        if os.environ.get("GRAPHMEND_EXPLAIN"):
            from graphmend import explaining

            explaining.start()
    except Exception as problem:
        print(f"graphmend: not installed: {type(problem).__name__}: {problem}", file=sys.stderr)


def uninstall() -> None:
    """Undo :func:`install`, and put every original code object back."""
    global _installed, packages
    _installed = False
    packages = None
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Waiting)]
    torch = sys.modules.get("torch")
    if torch is not None:
        _unpatch(torch)
    swap = sys.modules.get("graphmend.swap")
    if swap is not None:
        swap.restore()


def is_installed() -> bool:
    """Whether the hook is installed."""
    return _installed


def may_mend(module: object) -> bool:
    """Whether functions of a module with this name may be mended."""
    if packages is None:
        return True
    name = str(module)
    return any(name == package or name.startswith(package + ".") for package in packages)


def plain_compile() -> Callable[..., Any]:
    """``torch.compile`` as it is without the hook."""
    import torch

    present: Any = torch.compile
    chosen: Callable[..., Any] = _original if present is _replacement else present
    return chosen


class _Waiting(MetaPathFinder):
    """Finds torch as it would be found without us, and patches it once it is there."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Wait for torch."""
        if name != "torch":
            return None
        if self in sys.meta_path:
            sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        loader: Any = spec.loader if spec is not None else None
        if loader is None:
            sys.meta_path.insert(0, self)
            return spec
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            execute(module)
            if _installed:
                _patch(module)

        loader.exec_module = exec_module
        return spec


def _patch(torch: Any) -> None:
    global _original, _replacement
    if torch.compile is _replacement:
        return
    original = _original = torch.compile

    @functools.wraps(original)
    def compile(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if not _installed or (caller.startswith("torch.") and caller != _MODULE):
            return original(*args, **kwargs)  # torch's own use
        from graphmend import compiler, dynamo

        try:
            dynamo.install()
        except dynamo.UnsupportedTorch as problem:
            log.warning("%s", problem)
            return original(*args, **kwargs)
        return compiler.compile(*args, **kwargs)

    _replacement = torch.compile = compile


def _unpatch(torch: Any) -> None:
    global _original, _replacement
    if _replacement is not None and torch.compile is _replacement:
        torch.compile = _original
    _original = _replacement = None
