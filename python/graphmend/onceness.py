"""Warnings given once stay given once while torch compiles.

A module's ``__warningregistry__`` says which of its warnings were shown; Python clears it when the
warning filters have changed since. Tracing and compiling change them and put them back, so that
every such warning would be shown again after a compile, which no eager call does. Around each
compile the registries that mended warnings use are carried over to the new version of the filters;
registries that were out of date before it stay so.
"""

from __future__ import annotations

import contextlib
import threading
import warnings
from typing import TYPE_CHECKING, Any

from torch._dynamo.callback import callback_handler

if TYPE_CHECKING:
    from collections.abc import Iterable

_namespaces: dict[int, dict[str, Any]] = {}
_before = threading.local()


class _Probe(Warning):
    """Never shown: makes Python write the present version of the filters."""


def keep(namespaces: Iterable[dict[str, Any]]) -> None:
    """Keep what the registries in these globals say over every compile from now on."""
    for namespace in namespaces:
        _namespaces[id(namespace)] = namespace
    for callbacks, callback in (
        (callback_handler.start_callbacks, _start),
        (callback_handler.end_callbacks, _end),
    ):
        if callback not in callbacks:
            callbacks.append(callback)


def _start(_: object) -> None:
    _before.version = filters_version()


def _end(_: object) -> None:
    before = getattr(_before, "version", None)
    _before.version = None
    now = filters_version()
    if before is None or now is None or before == now:
        return
    for namespace in list(_namespaces.values()):
        registry = namespace.get("__warningregistry__")
        if isinstance(registry, dict) and registry.get("version") == before:
            registry["version"] = now
    once: Any = getattr(warnings, "onceregistry", None)
    if isinstance(once, dict) and once.get("version") == before:
        once["version"] = now


def filters_version() -> int | None:
    """The present version of the warning filters; None where Python does not tell.

    Python compares it with a registry's and writes it there, before it looks at the filters.
    """
    ignore: Any = ("ignore", None, _Probe, None, 0)
    filters: Any = warnings.filters
    registry: dict[Any, Any] = {}
    filters.insert(0, ignore)  # not through the functions that count as a change
    try:
        warnings.warn_explicit("", _Probe, "", 0, registry=registry)
    finally:
        with contextlib.suppress(ValueError):
            filters.remove(ignore)
    version = registry.get("version")
    return version if isinstance(version, int) else None
