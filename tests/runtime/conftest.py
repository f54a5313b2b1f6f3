"""The tests of the run time use a stand-in for the core."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def _clean():
    import differential

    yield
    differential.restore()
