"""Every rank of a distributed program mends alike, or the program is told.

Functions are compared over the key-value store that the ranks share, one by one, as ranks may run
different models. The first rank to mend a function says how; a rank that mends it in another way,
though it was told the same facts, raises. Nobody waits for anybody.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterable

_done: set[tuple[int, str]] = set()


class MismatchError(RuntimeError):
    """Ranks mended the same function in different ways."""


def check(mends: Iterable[tuple[str, bytes, bytes]]) -> None:
    """Compare mends with the other ranks: names, what decided, and what was made of it."""
    store = _store()
    if store is None:
        return
    for name, asked, made in mends:
        key = f"graphmend/{hashlib.sha256(name.encode() + asked).hexdigest()[:24]}"
        if (id(store), key) in _done:
            continue
        _done.add((id(store), key))
        wanted = made.hex()
        found = store.compare_set(key, "", wanted).decode()
        if found != wanted:
            raise MismatchError(
                f"{name} is mended in another way on another rank: the sources, or the versions of "
                "graphmend, are not the same"
            )


def _store() -> Any:
    """The store of the default group; None where the program has one process."""
    distributed: Any = torch.distributed
    if not distributed.is_available() or not distributed.is_initialized():
        return None
    if distributed.get_world_size() < 2:
        return None
    group: Any = distributed.distributed_c10d
    find = getattr(group, "_get_default_store", None)
    return find() if find is not None else None
