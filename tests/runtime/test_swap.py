"""Swapping code: methods, closures, factories, decorated functions, and exact restoring."""

from __future__ import annotations

import inspect

import fake_core
import graphmend
import pytest
import torch
from differential import check, load, restore
from graphmend import mending, source, swap

ONE = (torch.ones(3),)


def mend(target, **arguments):
    mending.core = fake_core.FakeCore()
    return graphmend.compile(target, backend="eager", **arguments)


PROGRAMS = {
    "super": """
    class Base(torch.nn.Module):
        def forward(self, x):
            print("base")
            return x + 1
    class Net(Base):
        def forward(self, x):
            print("net", __class__.__name__)
            return super().forward(x) * 2
    make = Net
    """,
    "private names": """
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.__secret = 3
        def __helper(self, x):
            print("helper", self.__secret)
            return x * self.__secret
        def forward(self, x):
            return self.__helper(x)
    make = Net
    """,
    "closure": """
    def make():
        scale = 2
        offset = [1]
        def inner(x):
            print("inner", scale, offset)
            return x * scale + offset[0]
        def outer(x):
            return inner(x) + scale
        return outer
    """,
    "factory": """
    def build(scale):
        def block(x):
            print("block", scale)
            return x * scale
        return block
    def make():
        first = build(2)
        def step(x):
            return build(3)(x) + first(x)
        return step
    """,
    "decorated": """
    def twice(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            print("wrapper")
            return function(*args, **kwargs) * 2
        return wrapper
    class Net(torch.nn.Module):
        @twice
        def forward(self, x, *, scale=1.0):
            print("forward", scale)
            return x * scale
    make = Net
    """,
    "static and class methods": """
    class Net(torch.nn.Module):
        @staticmethod
        def one(x):
            print("one")
            return x + 1
        @classmethod
        def two(cls, x):
            print("two", cls.__name__)
            return x + 2
        def forward(self, x):
            return self.one(x) + self.two(x)
    make = Net
    """,
    "dispatch table": """
    def plus(x):
        print("plus")
        return x + 1
    TABLE = {"plus": plus}
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = {"plus": plus}
        def forward(self, x):
            return TABLE["plus"](x) + self.table["plus"](x)
    def make():
        return Net()
    """,
    "partial": """
    def scaled(x, scale):
        print("scaled", scale)
        return x * scale
    HALF = functools.partial(scaled, scale=0.5)
    def step(x):
        return HALF(x)
    def make():
        return step
    """,
    "nonlocal": """
    def make():
        count = 0
        def step(x):
            nonlocal count
            count += 1
            print("count", count)
            return x + count
        return step
    """,
}


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_same(tmp_path, name):
    text = PROGRAMS[name].replace('TABLE = {"plus"', 'table = {"plus"').replace("TABLE[", "table[")
    check(tmp_path, text, [ONE, ONE], backends=("eager",))


@pytest.mark.parametrize("name", list(PROGRAMS))
def test_restored_exactly(tmp_path, name):
    import textwrap

    module = load(tmp_path, textwrap.dedent(PROGRAMS[name]))
    target = module.make()
    before = _codes(module, target)
    names = set(vars(module))
    mend(target)
    changed = _codes(module, target)
    assert any(before[key] is not changed[key] for key in before)
    assert swap.NAME in vars(module)
    with graphmend.disabled():
        assert _codes(module, target) == before
        assert set(vars(module)) == names
    assert _codes(module, target) == changed
    restore()
    after = _codes(module, target)
    assert all(after[key] is before[key] for key in before)
    assert set(vars(module)) == names


def _codes(module, target):
    found = {}
    for name, value in vars(module).items():
        if inspect.isfunction(value):
            found[name] = value.__code__
        if inspect.isclass(value) and value.__module__ == module.__name__:
            for key, item in vars(value).items():
                item = getattr(item, "__func__", item)
                while hasattr(item, "__wrapped__"):
                    found[f"{name}.{key}+"] = item.__code__
                    item = item.__wrapped__
                if inspect.isfunction(item):
                    found[f"{name}.{key}"] = item.__code__
    if inspect.isfunction(target):
        found["target"] = target.__code__
        for cell in target.__closure__ or ():
            if inspect.isfunction(cell.cell_contents):
                found[cell.cell_contents.__name__] = cell.cell_contents.__code__
    return found


def test_code_looks_like_the_original(tmp_path):
    module = load(tmp_path, inspect.cleandoc(PROGRAMS["super"]) + "\n")
    function = module.Net.forward
    before = function.__code__
    mend(module.make())
    after = function.__code__
    assert after is not before
    for name in (
        "co_filename",
        "co_name",
        "co_qualname",
        "co_firstlineno",
        "co_freevars",
        "co_flags",
        "co_argcount",
    ):
        assert getattr(after, name) == getattr(before, name), name
    lines = {line for *_, line in before.co_lines()}
    assert {line for *_, line in after.co_lines()} <= lines
    assert inspect.getsource(function).lstrip().startswith("def forward")


def test_callers_compiled_before_see_the_mend(tmp_path):
    text = """
def inner(x):
    print("inner")
    return x + 1
def outer(x):
    return inner(x) * 2
def make():
    return outer
"""
    module = load(tmp_path, text)
    graphs = []

    def counting(graph, inputs):
        graphs.append(graph)
        return graph

    torch._dynamo.reset()
    plain = torch.compile(module.outer, backend=counting)
    plain(*ONE)
    broken = len(graphs)
    assert broken > 1
    compiled = mend(module.outer, fullgraph=True)
    compiled(*ONE)
    plain(*ONE)
    assert len(graphs) == 2 * broken  # plain torch.compile mends nothing, and traces again


def test_changed_source_is_left_alone(tmp_path):
    text = "def step(x):\n    print('one')\n    return x\ndef make():\n    return step\n"
    module = load(tmp_path, text)
    path = tmp_path / "program.py"
    path.write_text(path.read_text().replace("one", "two"))
    compiled = mend(module.step)
    report = graphmend.report(compiled)
    assert "changed" in report.untouched[0].reason
    assert torch.equal(compiled(*ONE), ONE[0])


def test_source_not_found():
    scope = {"torch": torch}
    exec(compile("def step(x):\n    print('x')\n    return x\n", "<ipython-0>", "exec"), scope)
    compiled = mend(scope["step"])
    assert "not found" in graphmend.report(compiled).untouched[0].reason
    compiled(*ONE)


def test_error_of_the_core_changes_nothing(tmp_path):
    class Broken:
        Source = staticmethod(bytes)

        def mend_function(self, *arguments, **keywords):
            raise RuntimeError("boom")

    module = load(tmp_path, "def step(x):\n    print('x')\n    return x\n")
    mending.core = Broken()
    compiled = graphmend.compile(module.step, backend="eager")
    compiled(*ONE)
    assert "boom" in graphmend.report(compiled).untouched[0].reason


FORMS = """
from __future__ import annotations
import os
class A:
    class B:
        x = 1
        def method(self, a, /, b: int = 2, *c, d=lambda: 3, **e) -> None:
            '''Doc.'''
            def inner():
                return [self.__p for _ in range(3)], __class__
            return os.path.join("a"), f"{a!r:>{b}}", inner
        @property
        @functools.lru_cache
        def prop(self):
            return self
        async def coroutine(self):
            async with self as s:
                await s
        def generator(self):
            yield from (i async for i in self) if False else ()
def outer(a):
    b = 1
    def inner():
        nonlocal b
        b = a
        try:
            raise ValueError
        except* ValueError as e:
            print(e)
        match a:
            case [x, *rest] if x:
                return {**rest}
            case {"k": v}:
                return lambda: (v, b)
        return '''
   multi
'''
    return inner
"""


def test_recompiling_a_text_gives_the_live_code(tmp_path):
    module = load(tmp_path, FORMS.replace("from __future__ import annotations\n", ""))
    functions = [*vars(module.A.B).values(), module.outer, module.outer(1)]
    text = (tmp_path / "program.py").read_text().splitlines()
    for function in functions:
        function = getattr(function, "fget", function)
        function = getattr(function, "__wrapped__", function)
        if not inspect.isfunction(function):
            continue
        code = function.__code__
        first = code.co_firstlineno
        lines, _ = inspect.getsourcelines(code)
        indent = len(text[first - 1]) - len(text[first - 1].lstrip())
        cut = [line[indent:] if line[:indent].isspace() or not indent else line for line in lines]
        shifts = [indent if line[:indent].isspace() or not indent else 0 for line in lines]
        made = source.compile_text(
            "".join(cut),
            [(first + k, shifts[k]) for k in range(len(lines))],
            code.co_filename,
            name=code.co_name,
            qualname=code.co_qualname,
            flags=code.co_flags,
            freevars=code.co_freevars,
            firstlineno=first,
            imported=source.imported_names(code),
        )
        assert source.same_code(made, code), function
        assert list(made.co_positions()) == list(code.co_positions()), function
