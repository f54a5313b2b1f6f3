"""The command that judges folders of cases tells whole, left, different and unusable apart."""

from __future__ import annotations

from tests.differential import cases

WHOLE = """\
def talk(x):
    print("sum", x.sum().item())
    return x + 1
"""
LEFT = """\
class Plain:
    def __repr__(self):
        return "plain"


def talk(x):
    made = Plain()
    print(made)
    return x + 1
"""
DIFFERENT = """\
def talk(x):
    return x + int(torch.compiler.is_compiling())
"""
MAKE = """

def make():
    return talk, "not used", [(torch.ones(2),), (torch.zeros(2),)]
"""


def test_verdicts(tmp_path, capsys):
    for name, text in (("a", WHOLE), ("b", LEFT), ("c", DIFFERENT), ("d", "raise OSError\n")):
        (tmp_path / f"{name}.py").write_text("import torch\n\n\n" + text + MAKE)
    (tmp_path / "helper.py").write_text("# no case\n")
    assert cases.main([str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    verdicts = [line.split(": ")[1] for line in lines[:-1]]
    assert verdicts == ["whole", "left", "different", "unusable"], lines
    assert lines[-1] == "1 whole, 1 left, 1 different, 1 unusable"


def test_nothing_different_is_success(tmp_path, capsys):
    (tmp_path / "a.py").write_text("import torch\n\n\n" + WHOLE + MAKE)
    assert cases.main([str(tmp_path)]) == 0
    assert capsys.readouterr().out.endswith("1 whole, 0 left, 0 different, 0 unusable\n")
