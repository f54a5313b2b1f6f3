"""What is kept on disk: used again, never trusted, never in the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from graphmend import cache

from tests.use.programs import LIBRARY, environment, python, said, write

PROGRAM = """\
import graphmend
import torch
from graphmend import cache, mending
from library import Model, backend, count

asked = []
core = mending.the_core()
class Spy:
    def __getattr__(self, name):
        if name == "mend_function":
            asked.append(1)
        return getattr(core, name)
mending.core = mending._native = Spy()
print("calls", count(graphmend.compile(Model(), backend=backend), torch.ones(1, 2)))
print("asked", len(asked))
print("sites", sorted([(s.line, s.status, s.mend) for s in graphmend.report().sites]))
"""
SITES = "[(16, 'mended', 'select'), (28, 'mended', 'effect')]"


@pytest.fixture
def folder(tmp_path):
    write(tmp_path, library=LIBRARY, program=PROGRAM)
    return tmp_path


def run(folder, **changes):
    return said(
        python("program.py", cwd=folder, **{"GRAPHMEND_CACHE": f"{folder}/kept", **changes})
    )


def test_the_second_process_asks_nothing(folder):
    first = run(folder)
    assert (first["calls"], first["sites"]) == ("1", SITES)
    assert int(first["asked"]) > 0
    again = run(folder)
    assert (again["calls"], again["asked"], again["sites"]) == ("1", "0", SITES)
    files = list((folder / "kept").rglob("*.mended"))
    assert len(files) == 1, "one for each source with a function that was asked about"
    # damaged: noticed, and made anew
    data = bytearray(files[0].read_bytes())
    data[len(data) // 2] ^= 255
    files[0].write_bytes(bytes(data))
    assert int(run(folder)["asked"]) > 0
    assert run(folder)["asked"] == "0"
    files[0].write_bytes(b"")
    assert int(run(folder)["asked"]) > 0
    # another text of the file, with the old one still kept
    library = folder / "library.py"
    library.write_text(LIBRARY.replace("x + 1", "x + 5"))
    assert int(run(folder)["asked"]) > 0
    library.write_text(LIBRARY)
    assert run(folder)["asked"] == "0"
    info = python("-m", "graphmend.cli", "cache", "info", cwd=folder, GRAPHMEND_CACHE="kept")
    assert "2 source files" in info.stdout
    clear = python("-m", "graphmend.cli", "cache", "clear", cwd=folder, GRAPHMEND_CACHE="kept")
    assert clear.stdout.startswith("2 files removed")
    assert not list((folder / "kept").rglob("*.mended"))


@pytest.mark.parametrize("place", ["/proc/nothing/here", "/dev/null/x"])
def test_a_folder_that_can_not_be_written(folder, place):
    lines = run(folder, GRAPHMEND_CACHE=place)
    assert (lines["calls"], lines["sites"]) == ("1", SITES)


def test_a_full_disk(folder):
    write(
        folder,
        full="import resource, signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\nimport program\n",
    )
    result = python("full.py", cwd=folder, GRAPHMEND_CACHE=f"{folder}/kept")
    lines = said(result)
    assert (lines["calls"], lines["sites"]) == ("1", SITES)
    assert not [path for path in (folder / "kept").rglob("*") if path.is_file()]


def test_nothing_is_kept_where_that_is_said(folder):
    home = folder / "home"
    lines = run(folder, GRAPHMEND_CACHE="", HOME=str(home))
    assert lines["calls"] == "1"
    assert not (home / ".cache" / "graphmend").exists()


# -- the store alone: no torch is imported

STORE = """
    import os, sys
    from pathlib import Path
    from graphmend import cache
    store = cache.Store(Path(sys.argv[1]))
    who = sys.argv[2].encode()
    def record(n):
        return cache.Record("mended", "m" * 5000, ({"line": n},), compile("x", "f", "exec"), who)
"""


def store_process(tmp_path, text, *arguments):
    program = textwrap.dedent(STORE) + textwrap.dedent(text)
    return subprocess.Popen(
        [sys.executable, "-c", program, *arguments], cwd=tmp_path, env=environment()
    )


def test_many_processes_at_once(tmp_path):
    text = """
    for n in range(20):
        store.put(b"t" * 16, b"%d" % n, record(n))
        store.put(b"t" * 16, who, record(n))
        store.flush()
    found = cache.Store(store.folder).find(b"t" * 16, b"3")
    assert found is not None and found.sites[0]["line"] == 3
    """
    started = [store_process(tmp_path, text, "kept", str(1000 + n)) for n in range(32)]
    assert [process.wait(timeout=300) for process in started] == [0] * 32
    store = cache.Store(tmp_path / "kept")
    for n in range(20):
        found = store.find(b"t" * 16, b"%d" % n)
        assert found is not None
        assert found.sites == ({"line": n},)
    assert not list((tmp_path / "kept").rglob("*.part"))


def test_killed_while_it_writes(tmp_path):
    text = """
    n = 0
    while True:
        n += 1
        store.put(b"t" * 16, b"%d" % (n % 50), record(n % 50))
        store.flush()
        if n == 50:
            Path(sys.argv[2]).touch()
    """
    for attempt in range(6):
        mark = tmp_path / f"mark{attempt}"
        process = store_process(tmp_path, text, "kept", str(mark))
        deadline = time.monotonic() + 60
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.003 * attempt)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        store = cache.Store(tmp_path / "kept")
        for n in range(50):
            found = store.find(b"t" * 16, b"%d" % n)
            assert found is not None
            assert found.sites == ({"line": n},)


def test_two_builds_share_a_folder(tmp_path):
    one, two = cache.Store(tmp_path / "one"), cache.Store(tmp_path / "two")
    one.put(b"t" * 16, b"k", cache.Record("mended", "one", (), None, b""))
    two.put(b"t" * 16, b"k", cache.Record("mended", "two", (), None, b""))
    one.flush()
    two.flush()
    assert cache.Store(tmp_path / "one").find(b"t" * 16, b"k").message == "one"
    assert cache.Store(tmp_path / "two").find(b"t" * 16, b"k").message == "two"


def test_a_build_is_its_files(tmp_path, monkeypatch):
    before = cache.build()
    real = os.stat

    class Changed:
        def __init__(self, status):
            self.st_size, self.st_mtime_ns = status.st_size, status.st_mtime_ns + 1

    monkeypatch.setattr(os, "stat", lambda path, **k: Changed(real(path, **k)))
    assert cache.build() != before


def test_code_of_others_is_not_run(tmp_path, monkeypatch):
    store = cache.Store(tmp_path)
    store.put(b"t" * 16, b"k", cache.Record("mended", "", (), None, b""))
    store.flush()
    assert cache.Store(tmp_path).find(b"t" * 16, b"k") is not None
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    (path,) = tmp_path.rglob("*.mended")
    os.chown(path, 4321, 4321)
    assert cache.Store(tmp_path).find(b"t" * 16, b"k") is None
    assert path.exists()


def test_wrong_use(capsys):
    assert cache.main(["wrong"]) == 2
    assert "usage" in capsys.readouterr().err
