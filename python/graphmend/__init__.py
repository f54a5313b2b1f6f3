"""graphmend: a compiler that keeps ``torch.compile`` from breaking graphs.

Importing this package imports neither torch nor the modules that need it: a public name brings
its module in when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Public name -> (module, name there).
_HOMES: dict[str, tuple[str, str]] = {
    "compile": ("graphmend.compiler", "compile"),
    "disabled": ("graphmend.swap", "disabled"),
    "explain": ("graphmend.explaining", "explain"),
    "install": ("graphmend.hook", "install"),
    "report": ("graphmend.reports", "report"),
    "uninstall": ("graphmend.hook", "uninstall"),
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: Any = import_module("graphmend._core").version()
    elif name in _HOMES:
        module, attribute = _HOMES[name]
        value = getattr(import_module(module), attribute)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def load_ipython_extension(ipython: object) -> None:
    """For ``%load_ext graphmend``: cells are mended when they are compiled."""
    from graphmend import hook

    hook.install()


def unload_ipython_extension(ipython: object) -> None:
    """For ``%unload_ext graphmend``."""
    from graphmend import hook

    hook.uninstall()
