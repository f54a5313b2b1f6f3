"""The pytest plugin: a fixture ``assert_whole``.

Loaded by pytest where graphmend is installed; it imports torch only when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def assert_whole() -> Callable[..., None]:
    """:func:`graphmend.testing.assert_whole`: each call of a model is one graph."""
    from graphmend import testing

    def check(model: Any, inputs: Any, **arguments: Any) -> None:
        __tracebackhide__ = True
        testing.assert_whole(model, inputs, **arguments)

    return check
