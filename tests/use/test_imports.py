"""Where code comes from: archives, namespaces, reloads, editable installs, no source at all."""

from __future__ import annotations

import os
import py_compile
import zipfile

from tests.use.programs import LIBRARY, python, said, write

HEAD = "import os, sys\nimport torch\nimport graphmend\n"
TAIL = (
    "compiled = graphmend.compile(library.Model(), backend=library.backend)\n"
    "print('calls', library.count(compiled, torch.ones(1, 2)))\n"
    "print('report', str(graphmend.report(compiled)).replace(chr(10), ' | '))\n"
)


def run(folder, text, *arguments, **changes):
    (folder / "program.py").write_text(HEAD + text + TAIL)
    return said(python("program.py", *arguments, cwd=folder, **changes))


def test_zip(tmp_path):
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as archive:
        archive.writestr("library.py", LIBRARY)
    lines = run(tmp_path, "sys.path.insert(0, 'packed.zip')\nimport library\n")
    assert lines["calls"] == "1"
    assert "packed.zip/library.py:16: tensor-branch in scale: select" in lines["report"]


def test_namespace_package(tmp_path):
    write(tmp_path, one__space__library=LIBRARY)
    text = "sys.path.insert(0, 'one')\nimport space.library as library\n"
    assert run(tmp_path, text)["calls"] == "1"


def test_editable_install(tmp_path):
    """A ``.pth`` of the environment names the folder of the sources."""
    write(tmp_path, elsewhere__library=LIBRARY)
    site = tmp_path / "site"
    site.mkdir()
    (site / "library.pth").write_text(f"{tmp_path / 'elsewhere'}\n")
    text = "import site\nsite.addsitedir('site')\nimport library\n"
    assert run(tmp_path, text)["calls"] == "1"


def test_reload(tmp_path):
    """The new functions are mended, from the new text."""
    write(tmp_path, library=LIBRARY)
    text = (
        "import importlib, library\n"
        "old = graphmend.compile(library.Model(), backend=library.backend)\n"
        "print('before', library.count(old, torch.ones(1, 2)))\n"
        "text = open('library.py').read().replace('x * 2', 'x * 2 + 100')\n"
        "open('library.py', 'w').write(text)\n"
        "os.utime('library.py', (1, 1))\n"
        "library = importlib.reload(library)\n"
        "torch._dynamo.reset()\n"
        "model = library.Model()\n"
        "x = torch.ones(1, 2)\n"
        "compiled = graphmend.compile(model, backend=library.backend)\n"
        "print('new', bool((compiled(x) > 90).all()), torch.equal(compiled(x), model(x)))\n"
    )
    lines = run(tmp_path, text)
    assert (lines["before"], lines["new"], lines["calls"]) == ("1", "True True", "1")


def test_source_edited_after_the_import(tmp_path):
    """Code that runs is never mended from another text."""
    write(tmp_path, library=LIBRARY)
    text = (
        "import library\n"
        "text = open('library.py').read().replace('x + 1', 'x + 50')\n"
        "open('library.py', 'w').write(text)\n"
        "model, x = library.Model(), torch.ones(1, 2)\n"
        "wanted = model(x)\n"
        "compiled = graphmend.compile(model, backend=library.backend)\n"
        "print('same', torch.equal(compiled(x), wanted))\n"
    )
    lines = run(tmp_path, text)
    assert lines["same"] == "True"
    assert "scale left as it is: its source changed since it was imported" in lines["report"]


def test_clocks_that_disagree(tmp_path):
    """The bytecode of another text, made by a machine whose clock is behind, misleads nobody."""
    write(tmp_path, library=LIBRARY)
    text = (
        "import library, py_compile\n"
        "text = open('library.py').read().replace('x + 1', 'x + 50')\n"
        "open('library.py', 'w').write(text)\n"
        "made = py_compile.compile('library.py')\n"
        "os.utime(made, (1000, 1000))\n"
        "model, x = library.Model(), torch.ones(1, 2)\n"
        "wanted = model(x)\n"
        "compiled = graphmend.compile(model, backend=library.backend)\n"
        "print('same', torch.equal(compiled(x), wanted))\n"
    )
    lines = run(tmp_path, text)
    assert lines["same"] == "True"
    assert "its source changed since it was imported" in lines["report"]


def test_source_in_the_future(tmp_path):
    write(tmp_path, library=LIBRARY)
    os.utime(tmp_path / "library.py", (4e9, 4e9))
    assert run(tmp_path, "import library\n")["calls"] == "1"


def test_bytecode_only(tmp_path):
    write(tmp_path, library=LIBRARY)
    py_compile.compile(str(tmp_path / "library.py"), cfile=str(tmp_path / "library.pyc"))
    (tmp_path / "library.py").unlink()
    lines = run(tmp_path, "import library\n")
    assert lines["calls"] != "1"
    assert "scale left as it is: its source was not found" in lines["report"]


def test_executed_text(tmp_path):
    """The report says of the break why it is there."""
    write(tmp_path, library=LIBRARY)
    text = (
        "import library\n"
        "scope = {'torch': torch}\n"
        "exec(compile(open('library.py').read(), '<made>', 'exec'), scope)\n"
        "made = scope['Model']()\n"
        "compiled = graphmend.compile(made, backend=library.backend)\n"
        "x = torch.ones(1, 2)\n"
        "print('made', library.count(compiled, x), torch.equal(compiled(x), made(x)))\n"
        "print('why', str(graphmend.report(compiled)).replace(chr(10), ' | '))\n"
    )
    lines = run(tmp_path, text)
    assert lines["made"] == "3 True"
    assert "<made>:16 in scale" in lines["why"]
    assert "not mended: its source was not found" in lines["why"]
    assert lines["calls"] == "1"


def test_frozen_modules(tmp_path):
    """Frozen into an interpreter: no file holds the source."""
    write(tmp_path, library=LIBRARY)
    text = (
        "import importlib.machinery, importlib.util\n"
        "class Frozen(importlib.machinery.FrozenImporter):\n"
        "    @staticmethod\n"
        "    def exec_module(module):\n"
        "        text = open('library.py').read()\n"
        "        exec(compile(text, '<frozen library>', 'exec'), vars(module))\n"
        "spec = importlib.machinery.ModuleSpec('library', Frozen, origin='frozen')\n"
        "library = importlib.util.module_from_spec(spec)\n"
        "sys.modules['library'] = library\n"
        "spec.loader.exec_module(library)\n"
        "model, x = library.Model(), torch.ones(1, 2)\n"
        "print('same', torch.equal(graphmend.compile(model, backend='eager')(x), model(x)))\n"
    )
    lines = run(tmp_path, text)
    assert lines["same"] == "True"
    assert lines["calls"] == "3"
    assert "<frozen library>:16 in scale" in lines["report"]
    assert "not mended: its source was not found" in lines["report"]


def test_installed_for_some_packages(tmp_path):
    """What other packages hold is compiled as it is; more can be named later."""
    write(tmp_path, library=LIBRARY, other__part=LIBRARY)
    text = (
        "graphmend.install(packages=['other'])\n"
        "import library, other.part\n"
        "def graphs(module):\n"
        "    torch._dynamo.reset()\n"
        "    compiled = torch.compile(module.Model(), backend=module.backend)\n"
        "    return module.count(compiled, torch.ones(1, 2))\n"
        "print('one', graphs(library), graphs(other.part))\n"
        "graphmend.install(packages=['library', 'other'])\n"
        "print('two', graphs(library), graphs(other.part))\n"
        "graphmend.uninstall()\n"
        "print('none', graphs(library), graphs(other.part))\n"
        "graphmend.install()\n"
        "print('all', graphs(library), graphs(other.part))\n"
    )
    lines = run(tmp_path, text)
    assert [lines[key] for key in ("one", "two", "none", "all")] == ["3 1", "1 1", "3 3", "1 1"]


def test_turning_off_restores_every_code_object(tmp_path):
    write(tmp_path, library=LIBRARY)
    text = (
        "import library\n"
        "functions = [library.scale, library.Model.forward]\n"
        "before = [f.__code__ for f in functions]\n"
        "plain = torch.compile\n"
        "graphmend.install()\n"
        "compiled = torch.compile(library.Model(), backend=library.backend)\n"
        "print('on', library.count(compiled, torch.ones(1, 2)), torch.compile is plain)\n"
        "print('swapped', [f.__code__ is c for f, c in zip(functions, before)])\n"
        "graphmend.uninstall()\n"
        "print('off', [f.__code__ is c for f, c in zip(functions, before)])\n"
        "print('compile', torch.compile is plain, '__graphmend__' in vars(library))\n"
        "compiled = torch.compile(library.Model(), backend=library.backend)\n"
        "print('broken', library.count(compiled, torch.ones(1, 2)))\n"
    )
    lines = run(tmp_path, text)
    assert lines["on"] == "1 False"
    assert lines["swapped"] == "[False, False]"
    assert lines["off"] == "[True, True]"
    assert lines["compile"] == "True False"
    assert lines["broken"] == "3"


def test_a_defect_inside_the_core(tmp_path):
    """The program goes on as it was written, and the report says why."""
    write(tmp_path, library=LIBRARY)
    text = (
        "import library\n"
        "from graphmend import mending\n"
        "class Defect:\n"
        "    def __getattr__(self, name):\n"
        "        raise RuntimeError('injected')\n"
        "mending.core = Defect()\n"
        "model, x = library.Model(), torch.ones(1, 2)\n"
        "print('same', torch.equal(graphmend.compile(model, backend='eager')(x), model(x)))\n"
    )
    lines = run(tmp_path, text)
    assert lines["same"] == "True"
    assert lines["calls"] != "1"
    assert "internal problem: RuntimeError: injected" in lines["report"]


def test_a_defect_in_the_walk(tmp_path):
    write(tmp_path, library=LIBRARY)
    text = (
        "import library\n"
        "from graphmend import facts, reach\n"
        "def defect(*_):\n"
        "    raise RuntimeError('injected')\n"
        "reach.reached = facts.of = defect\n"
    )
    lines = run(tmp_path, text)
    assert lines["calls"] != "1"
    assert "internal problem: RuntimeError: injected" in lines["report"]
