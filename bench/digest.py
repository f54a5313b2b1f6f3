"""SHA-256 of whatever a model returns, bit for bit, and of its structure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import torch


def digest(value: object) -> str:
    """Equal for two values just when structure, classes, dtypes, shapes and bytes are."""
    hashed = hashlib.sha256()
    for part in _parts(value, "", set()):
        hashed.update(len(part).to_bytes(8, "little"))
        hashed.update(part)
    return hashed.hexdigest()


def _tensor_bytes(tensor: torch.Tensor) -> bytes:
    plain = tensor.detach().cpu().contiguous().reshape(-1)
    return plain.view(torch.uint8).numpy().tobytes() if plain.numel() else b""


def _parts(value: object, path: str, above: set[int]) -> Iterator[bytes]:
    """The leaves below ``value``, each behind its path and its class."""
    yield f"{path} {type(value).__name__}".encode()
    if isinstance(value, torch.Tensor):
        yield f"{value.dtype} {tuple(value.shape)}".encode()
        yield _tensor_bytes(value)
    elif value is None or isinstance(
        value, bool | int | float | complex | str | bytes | torch.dtype
    ):
        yield repr(value).encode()
    elif id(value) in above:
        yield b"(again)"
    else:
        inside = above | {id(value)}
        for key, item in _items(value):
            yield from _parts(item, f"{path}.{key}", inside)


def _items(value: object) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((repr(key), item) for key, item in value.items())
    elif isinstance(value, list | tuple):
        yield from ((str(index), item) for index, item in enumerate(value))
    elif isinstance(value, set | frozenset):
        yield from ((repr(item), None) for item in sorted(value, key=repr))
    else:
        yield from sorted(getattr(value, "__dict__", {}).items())
