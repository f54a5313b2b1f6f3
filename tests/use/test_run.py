"""Programs started as users start them: plain, with ``graphmend run``, with ``GRAPHMEND=1``."""

from __future__ import annotations

import re
import sys
import timeit
import zipfile

import pytest

from tests.use.programs import LIBRARY, PROGRAM, ROOT, python, said, start, write

COMMAND = ("-m", "graphmend.cli")
WHOLE = {
    "compile": "1 OptimizedModule",
    "method": "1 Model",
    "decorator": "1 function",
    "arguments": "['a', '--b'] __main__",
}


def has(result, wanted):
    lines = said(result)
    assert {key: lines.get(key) for key in wanted} == wanted


def test_plain_python_breaks(folder):
    """What the tests below show is not so without the hook."""
    lines = said(python("program.py", cwd=folder))
    assert [lines[key][0] for key in ("compile", "method", "decorator")] == ["3", "3", "3"]


def test_run_a_script(folder):
    result = python(*COMMAND, "run", "program.py", "a", "--b", cwd=folder)
    has(result, WHOLE)
    assert result.stderr == "", "quiet by default"


def test_run_with_a_report(folder):
    result = python(*COMMAND, "run", "--report", "program.py", "a", "--b", cwd=folder)
    has(result, WHOLE)
    assert re.search(r"library\.py:16: tensor-branch in scale: select", result.stderr)
    assert re.search(r"library\.py:28: print-call in Model\.forward: effect", result.stderr)


def test_run_a_module(folder):
    write(folder, package____init__="", package__part=PROGRAM)
    has(python(*COMMAND, "run", "-m", "package.part", "a", "--b", cwd=folder), WHOLE)


def test_run_a_zip_file(folder):
    with zipfile.ZipFile(folder / "app.zip", "w") as archive:
        archive.writestr("library.py", LIBRARY)
        archive.writestr("__main__.py", PROGRAM)
    (folder / "library.py").unlink()
    has(python(*COMMAND, "run", "app.zip", "a", "--b", cwd=folder), WHOLE)


def test_environment(folder):
    has(python("program.py", "a", "--b", cwd=folder, GRAPHMEND="1"), WHOLE)


def test_environment_off(folder):
    assert said(python("program.py", cwd=folder, GRAPHMEND="0"))["compile"][0] == "3"


def test_only_some_packages(folder):
    result = python("program.py", cwd=folder, GRAPHMEND="1", GRAPHMEND_PACKAGES="library, other")
    lines = said(result)
    assert [lines[key][0] for key in ("compile", "method")] == ["1", "1"]
    assert lines["decorator"][0] != "1"


@pytest.mark.parametrize(
    ("text", "status", "wanted"),
    [
        ("import sys\nsys.exit(7)", 7, ""),
        ("raise SystemExit('bye')", 1, "bye"),
        ("def f():\n    raise KeyError('k')\nf()", 1, "KeyError: 'k'"),
        ("x = (", 1, "SyntaxError: '(' was never closed"),
    ],
    ids=["exit", "exit-text", "error", "syntax"],
)
def test_ends_as_python_does(tmp_path, text, status, wanted):
    (tmp_path / "program.py").write_text(text)
    ours = python(*COMMAND, "run", "program.py", cwd=tmp_path)
    plain = python("program.py", cwd=tmp_path)
    assert ours.returncode == plain.returncode == status
    assert wanted in ours.stderr
    assert "running.py" not in ours.stderr
    names = [re.findall(r"line \d+, in \S+", side.stderr) for side in (ours, plain)]
    assert names[0] == names[1]


def test_no_such_program(tmp_path):
    for arguments in (["missing.py"], ["-m", "no_such_module"], ["--wrong", "x"], []):
        result = python(*COMMAND, "run", *arguments, cwd=tmp_path)
        assert result.returncode == 2
        assert result.stderr
        assert "Traceback" not in result.stderr


def test_main_of_a_run_can_be_pickled(tmp_path):
    write(
        tmp_path,
        program="""
        import pickle, sys, atexit

        class Kept:
            pass

        if __name__ == "__main__":
            print("same", type(pickle.loads(pickle.dumps(Kept()))) is Kept)
            print("file", __file__, sys.argv[0], sys.path[0] != "")
            atexit.register(lambda: print("end", Kept.__name__))
        """,
    )
    lines = said(python(*COMMAND, "run", "program.py", cwd=tmp_path))
    assert lines == {"same": "True", "file": "program.py program.py True", "end": "Kept"}


def test_the_line_in_the_pth_costs_nothing():
    """Python runs it at each start: under a millisecond where GRAPHMEND is not set."""
    line = (ROOT / "python" / "graphmend.pth").read_text().strip()
    assert "\n" not in line
    environment = {"GRAPHMEND": ""}
    setup = f"import os; os.environ.update({environment!r})"
    assert min(timeit.repeat(line, setup, number=1, repeat=5)) < 0.001


def test_import_costs_little(tmp_path):
    """Nothing is done to a module that is imported under the hook."""
    for number in range(200):
        (tmp_path / f"module_{number}.py").write_text("import torch\n" * 3 + "x = 1\n")
    (tmp_path / "program.py").write_text(
        "import time, torch\nstart = time.perf_counter()\n"
        "for n in range(200): __import__(f'module_{n}')\n"
        "print('spent', time.perf_counter() - start)\n"
        "import sys; print('loaded', 'graphmend.mending' in sys.modules)\n"
    )
    python("program.py", cwd=tmp_path)
    result = said(python("program.py", cwd=tmp_path, GRAPHMEND="1"))
    assert result["loaded"] == "False", "not even imported"


def test_repl(tmp_path):
    """A function that was typed has no source: it is left alone, and the report says so."""
    write(tmp_path, library=LIBRARY)
    typed = (
        "import torch, graphmend\n"
        "from library import Model, backend, count\n"
        "print('library', count(torch.compile(Model(), backend=backend), torch.ones(1, 2)))\n"
        "def typed(x):\n    x = x + 1\n    print('typed')\n    return x + 1\n\n"
        "step = torch.compile(typed, backend=backend)\n"
        "print('typed', count(step, torch.ones(2)))\n"
        "print('report', 'typed left as it is: its source was not found'"
        " in str(graphmend.report(step)))\n"
    )
    import subprocess

    from tests.use.programs import environment

    result = subprocess.run(
        [sys.executable, "-i", "-q"],
        input=typed,
        cwd=tmp_path,
        env=environment(GRAPHMEND="1"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    lines = said(result)
    assert lines["library"] == "1"
    assert lines["typed"] == "2"
    assert lines["report"] == "True"


def test_pytest(tmp_path):
    write(
        tmp_path,
        library=LIBRARY,
        test_model="""
        import torch
        from library import Model, backend, count

        def step(x):
            assert x.sum() > 0, "small"
            return x + 1

        def test_whole():
            assert count(torch.compile(Model(), backend=backend), torch.ones(1, 2)) == 1

        def test_rewritten_asserts_are_left_alone():
            compiled = torch.compile(step, backend="eager")
            assert compiled(torch.ones(2)).tolist() == [2, 2]
            assert torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2)).sum() == 4
        """,
    )
    result = python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=tmp_path, GRAPHMEND="1")
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout


TORCHRUN = """\
import os

import torch
import torch.distributed as dist
from library import Model, backend, count

dist.init_process_group("gloo")
torch.manual_seed(0)
rank = dist.get_rank()
model = torch.nn.parallel.DistributedDataParallel(Model())
compiled = torch.compile(model, backend=backend)
calls = count(compiled, torch.ones(1, 2))
loss = compiled(torch.ones(1, 2) * (rank + 1)).sum()
loss.backward()
gradient = model.module.linear.weight.grad.sum().item()
gathered = [None, None]
dist.all_gather_object(gathered, (calls, round(gradient, 5)))
if rank == 0:
    print("ranks", gathered[0] == gathered[1], gathered[0][0], flush=True)
dist.barrier()
dist.destroy_process_group()
"""


def test_torchrun(folder):
    (folder / "train.py").write_text(TORCHRUN)
    result = start(
        sys.executable,
        *("-m", "torch.distributed.run", "--nproc-per-node=2", "--master-port=29571", "train.py"),
        cwd=folder,
        GRAPHMEND="1",
        OMP_NUM_THREADS="1",
    )
    assert said(result)["ranks"] == "True 1"


WRONG = """\
from graphmend import mending
real = mending.the_core()
class Wrong:
    Source = real.Source
    def mend_function(self, *a, **k):
        return Answer(real.mend_function(*a, **k))
    def impurity_of_function(self, *a, **k):
        return real.impurity_of_function(*a, **k)
class Answer:
    def __init__(self, a): self.a = a
    def __getattr__(self, n): return getattr(self.a, n)
    @property
    def text(self): return self.a.text.replace("x + 1", "x + 2", 1)
mending.core = Wrong()
"""


def test_torchrun_ranks_that_mend_differently(folder):
    """A mismatch is an error, not a hang."""
    text = TORCHRUN.replace(
        "dist.init_process_group",
        "if os.environ['RANK'] == '1':\n    import wrong\n\ndist.init_process_group",
    )
    (folder / "train.py").write_text(text)
    (folder / "wrong.py").write_text(WRONG)
    result = start(
        sys.executable,
        *("-m", "torch.distributed.run", "--nproc-per-node=2", "--master-port=29572", "train.py"),
        cwd=folder,
        timeout=200,
        GRAPHMEND="1",
        OMP_NUM_THREADS="1",
    )
    assert result.returncode != 0
    assert "is mended in another way on another rank" in result.stderr


def test_verified_run_and_replay(folder):
    """A wrong mend is told, with the command that shows it again; the result is the original's."""
    write(
        folder,
        wrong=WRONG,
        work="""
        import sys
        import torch
        from library import scale

        if sys.argv[1:]:
            import wrong
        compiled = torch.compile(scale, backend="eager")
        print("value", [compiled(torch.ones(2)).tolist() for _ in range(3)])
        """,
    )
    kept = {"GRAPHMEND_REPRODUCERS": str(folder / "kept")}
    command = (*COMMAND, "run", "--verify", "first", "work.py")
    right = python(*command, cwd=folder, **kept)
    assert said(right)["value"] == str([[4.0, 4.0]] * 3)
    assert right.stderr == ""
    wrong = python(*command, "wrong", cwd=folder, **kept)
    assert said(wrong)["value"] == str([[4.0, 4.0]] * 3)
    assert wrong.stderr.count("DifferenceWarning") == 1
    assert re.search(r"work\.py:\d+: DifferenceWarning", wrong.stderr), wrong.stderr
    (told,) = re.findall(r"graphmend replay (\S+)", wrong.stderr)
    again = python(*COMMAND, "replay", told, cwd=folder)
    assert again.returncode == 0, again.stderr
    assert "agrees with the original" in again.stdout


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers(folder, method):
    """What a DataLoader's workers compile is mended too; with spawn they start anew."""
    write(
        folder,
        work=f"""
        import torch
        from library import Model, backend, count

        class Data(torch.utils.data.Dataset):
            def __len__(self):
                return 2

            def __getitem__(self, index):
                torch.set_num_threads(1)
                torch.manual_seed(0)
                compiled = torch.compile(Model(), backend=backend)
                return count(compiled, torch.ones(1, 2))

        if __name__ == "__main__":
            loader = torch.utils.data.DataLoader(
                Data(), num_workers=1, multiprocessing_context={method!r}
            )
            print("calls", [int(item) for item in loader], flush=True)
        """,
    )
    result = python(*COMMAND, "run", "work.py", cwd=folder)
    assert said(result)["calls"] == "[1, 1]"
