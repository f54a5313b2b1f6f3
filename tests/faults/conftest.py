"""Modules written to disk for one test."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest
import torch

_numbers = itertools.count()


class Source:
    """A module on disk that a test may change after it was imported."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, text: str | bytes) -> None:
        """Write the file, with a time of change that no earlier one had."""
        data = text if isinstance(text, bytes) else textwrap.dedent(text).encode()
        self.path.write_bytes(data)
        stamp = 1_000_000_000 + 10 * next(_numbers)
        os.utime(self.path, (stamp, stamp))

    def load(self) -> ModuleType:
        """Import the file."""
        name = f"faults_{self.path.stem}"
        spec = importlib.util.spec_from_file_location(name, self.path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module


@pytest.fixture
def source(tmp_path: Path) -> Source:
    """A module that is not written yet."""
    return Source(tmp_path / f"module_{next(_numbers)}.py")


@pytest.fixture
def loaded(source: Source) -> Callable[[str], ModuleType]:
    """Writes a module and imports it."""

    def load(text: str | bytes) -> ModuleType:
        source.write(text)
        return source.load()

    return load


@pytest.fixture(autouse=True)
def _fresh_dynamo() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
