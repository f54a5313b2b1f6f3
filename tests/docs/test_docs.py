"""Every command and output in the documentation is what happens.

``GRAPHMEND_DOCS=write`` writes the outputs into the pages instead, to be read before they are kept.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys

import nbclient
import nbformat
import pytest

from tests.docs import pages
from tests.use.programs import environment

PAGES = sorted((pages.ROOT / "docs").glob("*.md")) + sorted((pages.ROOT / "docs/guides").glob("*"))
WRITE = os.environ.get("GRAPHMEND_DOCS") == "write"
# Commands that start processes of their own, and the ones that need a repository's history.
_OUTSIDE = ("torchrun", "git", "ls", "cat")


class Runner:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.docs.zygote"],
            cwd=pages.ROOT,
            env=environment(GRAPHMEND_CACHE="", PYTHONWARNINGS="ignore", PYTHONUNBUFFERED="1"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, line, folder):
        words = shlex.split(line)
        changes = {}
        while re.fullmatch(r"[A-Z_]+=.*", words[0]):
            name, _, changes[name] = words.pop(0).partition("=")
        if words[0] in _OUTSIDE:
            if words[0] == "torchrun":
                words[:1] = [sys.executable, "-m", "torch.distributed.run", "--master-port=29574"]
                changes |= {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
            result = subprocess.run(
                words,
                cwd=folder,
                env=environment(GRAPHMEND_CACHE="", PYTHONUNBUFFERED="1", **changes),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=200,
                check=False,
            )
            return result.stdout
        request = {"folder": str(folder), "arguments": words, "environment": changes}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())["text"]


@pytest.fixture(scope="module")
def runner():
    made = Runner()
    yield made
    made.process.stdin.close()
    made.process.wait(timeout=60)


def notebook(cells, tmp_path, monkeypatch):
    """Run cells in a kernel of this interpreter; what each printed."""
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
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    nbclient.NotebookClient(
        made, timeout=200, kernel_name="here", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    return ["".join(o.get("text", "") for o in cell.get("outputs", [])) for cell in made.cells]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, runner, tmp_path, monkeypatch):
    text = page.read_text()
    folder = tmp_path / "project"
    folder.mkdir()
    cells = []
    for step in pages.steps(text):
        assert step.kind in ("file", "cell", "console", "shown"), f"what is this?\n{step.text}"
        if step.kind == "file":
            path = folder / step.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text)
        elif step.kind == "cell":
            cells.append(step)
        elif step.kind == "console":
            for command in step.commands:
                got = pages.plain(runner.run(command.text, folder), folder)
                if WRITE and not pages.fits(command.output, got):
                    before = "\n".join(["$ " + command.text, *command.output])
                    text = text.replace(before, "\n".join(["$ " + command.text, *got]))
                    page.write_text(text)
                elif not WRITE:
                    assert pages.fits(command.output, got), "\n".join([command.text, *got])
    if cells:
        printed = notebook([cell.text for cell in cells], tmp_path, monkeypatch)
        for cell, output in zip(cells, printed, strict=True):
            wanted = [line.removeprefix("# prints: ") for line in cell.text.splitlines()
                      if line.startswith("# prints: ")]  # fmt: skip
            got = output.strip().splitlines()
            assert pages.fits(wanted, got) if wanted else True, output


def test_links_lead_somewhere():
    for page in [*PAGES, pages.ROOT / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
