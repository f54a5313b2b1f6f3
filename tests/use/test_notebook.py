"""Notebooks: cells are mended like files, through a kernel as Jupyter starts it."""

from __future__ import annotations

import json
import os
import sys

import nbclient
import nbformat
import pytest

from tests.use.programs import LIBRARY, environment, write

CELLS = [
    "%load_ext graphmend",
    "import torch, graphmend\nfrom library import backend, calls, count",
    """\
def work(x):
    x = x * 1
    if x.sum() > 0:
        x = x + 1
    print("seen")
    return x * 2


compiled = torch.compile(work, backend=backend)
print("calls", count(compiled, torch.ones(2)))""",
    'print("same", torch.equal(compiled(torch.ones(2)), work(torch.ones(2))))',
    # the cell run again, changed
    """\
def work(x):
    x = x * 1
    if x.sum() > 0:
        x = x + 3
    return x * 2


compiled = torch.compile(work, backend=backend)
print("again", count(compiled, torch.ones(2)), compiled(torch.ones(2)).tolist())""",
    'print("report", ": select" in str(graphmend.report(compiled)))',
    "%unload_ext graphmend",
    """\
torch._dynamo.reset()
print("off", count(torch.compile(work, backend=backend), torch.ones(2)))""",
]


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A kernel of this interpreter and this checkout."""
    folder = tmp_path / "jupyter" / "kernels" / "here"
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    variables = {"PYTHONPATH": environment()["PYTHONPATH"], "GRAPHMEND_CACHE": ""}
    (folder / "kernel.json").write_text(
        json.dumps(
            {"argv": command, "display_name": "here", "language": "python", "env": variables}
        )
    )
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    for name in [name for name in os.environ if name.startswith("GRAPHMEND")]:
        monkeypatch.delenv(name)
    return "here"


def test_notebook(tmp_path, kernel):
    write(tmp_path, library=LIBRARY)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in CELLS])
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name=kernel,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    text = "".join(
        output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", [])
    )
    lines = {first: rest for first, _, rest in (line.partition(" ") for line in text.splitlines())}
    assert lines["calls"] == "1"
    assert lines["same"] == "True"
    assert lines["again"] == "1 [8.0, 8.0]"
    assert lines["report"] == "True"
    assert lines["off"] == "2"
