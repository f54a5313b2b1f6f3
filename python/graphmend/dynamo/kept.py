"""Functions whose results are kept: ``functools.lru_cache``, ``functools.cache``.

Python runs such a function when its arguments come up for the first time; Dynamo looks through the
cache and traces the function into each graph. A break in it ends the graph at its call, which then
is a real one. So nothing in it is mended: an effect would happen at each call of the graph, and a
value would be computed again where the program gets the kept one.
"""

from __future__ import annotations

import functools
from typing import Any

from torch._dynamo.variables.functions import WrapperUserFunctionVariable

REASON = "functools.lru_cache keeps what its function gives, so it does not run in each call"
_DEPTH = "_graphmend_kept"


def install() -> None:
    """Listen where Dynamo looks through a wrapper; done once."""
    kind: Any = WrapperUserFunctionVariable
    kind.call_function = _calling(kind.call_function)


def inside(tx: Any) -> bool:
    """Whether a function whose results are kept is being traced."""
    return bool(tx.output.__dict__.get(_DEPTH))


def _calling(original: Any) -> Any:
    @functools.wraps(original)
    def call_function(self: Any, tx: Any, *arguments: Any, **named: Any) -> Any:
        if not hasattr(self.wrapper_obj, "cache_info"):
            return original(self, tx, *arguments, **named)
        state: dict[str, Any] = tx.output.__dict__
        state[_DEPTH] = state.get(_DEPTH, 0) + 1
        try:
            return original(self, tx, *arguments, **named)
        finally:
            state[_DEPTH] -= 1

    return call_function
