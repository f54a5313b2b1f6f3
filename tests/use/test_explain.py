"""``graphmend explain`` and ``graphmend.explain``."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import json
import re
import shutil
import struct
import subprocess
import sys
import threading
from typing import ClassVar

import graphmend
import pytest
import torch

from tests.use.programs import LIBRARY, python, start, write

PROGRAM = """\
import sys

import torch
from library import Model


@torch.compile(backend="eager")
def counted(x, scale=1.0):
    x = x * scale
    return x * sys.getrefcount(x)


compiled = torch.compile(Model(), backend="eager")
never = torch.compile(lambda x: x, backend="eager")
for _ in range(4):
    compiled(torch.ones(1, 2))
    counted(torch.ones(2))
counted(torch.ones(3))
counted(torch.ones(3), 2.0)
counted(torch.ones(3), 2.0)
if __name__ == "__main__":
    print("ran")
"""
COMMAND = ("-m", "graphmend.cli", "explain")


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The program explained: folder, what was printed, and the JSON by callable."""
    folder = tmp_path_factory.mktemp("explained")
    write(folder, library=LIBRARY, program=PROGRAM)
    files = ("--json", "out.json", "--html", "out.html")
    result = python(*COMMAND, *files, "program.py", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("ran") == 1, "the run without mending is not heard"
    data = json.loads((folder / "out.json").read_text())
    return folder, result.stderr, {item["callable"]: item for item in data["callables"]}


def test_every_break_once_with_its_cost(told):
    _, text, by_name = told
    breaks = by_name["Model"]["breaks"]
    assert [(b["line"], b["kind"], b["status"], b["mend"]) for b in breaks] == [
        (16, "tensor-branch", "mended", "select"),
        (28, "print-call", "mended", "effect"),
    ]
    assert breaks[0]["graphs"] == ["graph 1 (1 operator)", "graph 2 (3 operators)"]
    step = by_name["Model"]["before"]["step"]
    assert len(step["segments"]) == 3
    assert 0 < breaks[0]["lost_ms"] < step["ms"]
    assert 0 < breaks[1]["lost_ms"] < step["ms"]
    assert len(by_name["Model"]["after"]["step"]["segments"]) == 1
    assert "3 graphs, " in text
    assert re.search(r"library.py:16 in scale: if x.sum\(\) > 0:\n.*A branch on a tensor", text)
    assert "[graphmend rules tensor-branch]" in text
    assert re.search(r"costs 0\.\d+ ms between the graphs in each call \(\d+% of the call\)", text)


def test_what_is_left_says_why(told):
    _, text, by_name = told
    (left,) = by_name["counted"]["breaks"]
    assert (left["line"], left["status"]) == (10, "left")
    assert left["code"] == "return x * sys.getrefcount(x)"
    assert left["reason"]
    assert left["advice"]
    assert left["lost_ms"] > 0
    assert "what to do:" in text


def test_what_is_compiled_again(told):
    _, text, by_name = told
    again = [(item["what"], item["line"]) for item in by_name["counted"]["recompiles"]]
    assert again == [("size 0 of x was 2, is 3", 7), ("scale was 1.0, is 2.0", 7)]
    assert "torch._dynamo.mark_dynamic(x, 0)" in text
    assert "pass scale as a tensor: torch.tensor(scale)" in text


def test_what_is_never_compiled(told):
    _, text, by_name = told
    assert by_name["<lambda>"]["nothing_compiled"] == "it was never called"
    assert "NOTHING WAS COMPILED HERE: it was never called" in text


def test_nothing_compiled(tmp_path):
    (tmp_path / "program.py").write_text("print('plain')\n")
    result = python(*COMMAND, "program.py", cwd=tmp_path)
    assert result.returncode == 0
    assert result.stdout == "plain\n"
    assert "NOTHING WAS COMPILED HERE: torch.compile was not called" in result.stderr


def test_of_a_model(tmp_path, capsys):
    write(tmp_path, explained=LIBRARY)
    spec = importlib.util.spec_from_file_location("explained", tmp_path / "explained.py")
    module = sys.modules["explained"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    model = module.Model()
    before = model.state_dict()
    told = graphmend.explain(model, torch.ones(1, 2))
    assert capsys.readouterr().out == "", "its own calls are not heard"
    assert [(b.line, b.mend) for b in told.breaks] == [(16, "select"), (28, "effect")]
    assert all(b.lost_ms > 0 for b in told.breaks)
    assert "explained.py:16 in scale: if x.sum() > 0:" in str(told)
    assert all(torch.equal(before[key], value) for key, value in model.state_dict().items())
    again = graphmend.explain(graphmend.compile(model, backend="eager"), torch.ones(1, 2))
    assert (again.callables[0].name, again.callables[0].line) == ("Model", 26)
    function = graphmend.explain(graphmend.compile(module.scale, backend="eager"), torch.ones(2))
    assert (function.callables[0].name, function.callables[0].line) == ("scale", 14)
    assert function.callables[0].path.endswith("explained.py")
    told.to_html(tmp_path / "out.html")
    assert "<h2>Model</h2>" in (tmp_path / "out.html").read_text()
    # what can't be copied is called once, for real
    calls = []
    lock = threading.Lock()

    def step(x, held):
        calls.append(held)
        return x + 1

    told = graphmend.explain(step, torch.ones(2), lock)
    assert calls == [lock]
    assert len(told.callables) == 1


WORKERS = """\
import sys
import torch
from library import Model


class Data(torch.utils.data.Dataset):
    def __init__(self):
        self.compiled = None

    def __len__(self):
        return 3

    def __getitem__(self, index):
        torch.set_num_threads(1)
        if self.compiled is None:
            self.compiled = torch.compile(Model(), backend="eager")
        return self.compiled(torch.ones(1, 2)).detach()


if __name__ == "__main__":
    data = torch.utils.data.DataLoader(Data(), num_workers=1, multiprocessing_context=sys.argv[1])
    print("items", len(list(data)))
"""


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers(tmp_path, method):
    write(tmp_path, library=LIBRARY, work=WORKERS)
    result = python(*COMMAND, "--once", "--json", "out.json", "work.py", method, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    (told,) = json.loads((tmp_path / "out.json").read_text())["callables"]
    assert told["process"].startswith("worker ")
    assert [item["line"] for item in told["breaks"]] == [16, 28]
    assert f" in {told['process']}" in result.stderr


RANKS = """\
import torch
import torch.distributed as dist
from library import Model

dist.init_process_group("gloo")
compiled = torch.compile(Model(), backend="eager")
for _ in range(3):
    compiled(torch.ones(1, 2))
dist.barrier()
dist.destroy_process_group()
"""


def test_ranks(tmp_path):
    write(tmp_path, library=LIBRARY, train=RANKS)
    launch = ("-m", "torch.distributed.run", "--nproc-per-node=2", "--master-port=29573")
    # explain in each rank
    each = ("--json", "out.json", "train.py")
    result = start(
        sys.executable, *launch, *COMMAND, *each, cwd=tmp_path, OMP_NUM_THREADS="1",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    for rank in (0, 1):
        (told,) = json.loads((tmp_path / f"out.rank{rank}.json").read_text())["callables"]
        assert told["process"] == f"rank {rank}"
        assert [item["line"] for item in told["breaks"]] == [16, 28]


def test_ranks_of_a_launcher(tmp_path):
    """The launcher itself is explained: its ranks are told of, each with its costs."""
    write(tmp_path, library=LIBRARY, train=RANKS)
    launch = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", "train.py")
    result = python(*COMMAND, "--json", "out.json", *launch, cwd=tmp_path, OMP_NUM_THREADS="1")
    assert result.returncode == 0, result.stderr
    told = json.loads((tmp_path / "out.json").read_text())["callables"]
    assert [one["process"] for one in told] == ["rank 0", "rank 1"]
    for one in told:
        assert [(b["line"], b["mend"]) for b in one["breaks"]] == [(16, "select"), (28, "effect")]
        assert all(b["lost_ms"] > 0 for b in one["breaks"])
        assert f"library.py:26) in {one['process']}" in result.stderr


# -- the page, in a browser

BROWSER = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
needs_browser = pytest.mark.skipif(
    BROWSER is None, reason="no browser: apt-get install chromium-headless-shell"
)
_MEASURE = """
<script>
const wide = [...document.querySelectorAll("body *")].filter(e =>
  !e.closest("pre, .source, .time") && e.getBoundingClientRect().right > innerWidth + 1);
const inside = document.querySelectorAll(".time > i");
document.title = JSON.stringify({
  overflow: document.documentElement.scrollWidth > innerWidth,
  wide: wide.map(e => e.outerHTML.slice(0, 80)),
  font: Math.min(...[...document.querySelectorAll("p, td, code")].map(
    e => parseFloat(getComputedStyle(e).fontSize))),
  columns: getComputedStyle(document.querySelector(".pair")).gridTemplateColumns.split(" ").length,
  bars: [...inside].map(e => e.getBoundingClientRect().width > 0),
  marked: document.querySelectorAll("tr.hit").length,
  links: [...document.querySelectorAll("a")].every(a =>
    document.getElementById(a.getAttribute("href").slice(1))),
  images: document.images.length + document.querySelectorAll("link, iframe").length,
});
</script>
"""


class _Asked(http.server.SimpleHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_GET(self):
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *_):
        pass


@needs_browser
@pytest.mark.parametrize(("width", "columns"), [(390, 1), (1280, 2)])
def test_page_in_a_browser(told, tmp_path, width, columns):
    folder, _, _ = told
    page = (folder / "out.html").read_text()
    (tmp_path / "page.html").write_text(page.replace("</body>", _MEASURE + "</body>"))
    _Asked.asked.clear()
    handler = functools.partial(_Asked, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        common = [
            BROWSER, "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={tmp_path}/profile", f"--window-size={width},900",
            "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        ]  # fmt: skip
        place = f"http://127.0.0.1:{server.server_port}/page.html"
        shown = subprocess.run(
            [*common, "--dump-dom", place], capture_output=True, text=True, timeout=120, check=True
        ).stdout
        subprocess.run(
            [*common, f"--screenshot={tmp_path}/page.png", place],
            capture_output=True, timeout=120, check=True,
        )  # fmt: skip
        server.shutdown()
    assert set(_Asked.asked) <= {"/page.html", "/favicon.ico"}, "nothing else is fetched"
    measured = json.loads(re.search(r"<title>(.*?)</title>", shown, re.DOTALL)[1])
    assert not measured["overflow"], measured["wide"]
    assert not measured["wide"]
    assert measured["font"] >= 12
    assert measured["columns"] == columns
    assert measured["bars"]
    assert all(measured["bars"])
    assert measured["marked"] >= 3
    assert measured["links"]
    assert measured["images"] == 0
    header = (tmp_path / "page.png").read_bytes()[:24]
    assert struct.unpack(">II", header[16:24]) == (width, 900)
