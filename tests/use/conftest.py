"""A folder with a program in it."""

from __future__ import annotations

import pytest

from tests.use.programs import LIBRARY, PROGRAM, write


@pytest.fixture
def folder(tmp_path):
    """A folder with the library and the program."""
    write(tmp_path, library=LIBRARY, program=PROGRAM)
    return tmp_path
