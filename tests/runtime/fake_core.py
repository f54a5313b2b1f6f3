"""A stand-in for the native core, for tests of the run time alone.

It mends every site that has the right shape, with no analysis of its own: tests choose programs
for which that is legal.
"""

from __future__ import annotations

import ast
import hashlib
from dataclasses import dataclass, field

EFFECTS = ("print", "logger", "warnings", "log")


@dataclass
class FakeSite:
    id: str
    kind: str
    mend: str
    line: int
    end_line: int
    outline_text: str
    outline_lines: list[tuple[int, int | None]]
    params: list[str]
    gb: str = "GB0000"
    status: str = "mended"
    reason: str = ""
    advice: str = ""
    column: int = 0
    end_column: int = 0
    certainty: str = "certain"
    calls: tuple[str, ...] = ()

    @property
    def last_line(self):
        return self.end_line


@dataclass
class FakeFunction:
    status: str = "unchanged"
    message: str = ""
    original_text: str = ""
    original_lines: list[tuple[int, int | None]] = field(default_factory=list)
    text: str = ""
    lines: list[tuple[int, int | None]] = field(default_factory=list)
    sites: list[FakeSite] = field(default_factory=list)


class FakeCore:
    """Mends ``if``, ``assert``, ``print``, logging and warnings by their shape."""

    Source = staticmethod(bytes)

    def mend_function(
        self, source, path, firstlineno, name, *, freevars, class_name=None, asserts=True, facts=()
    ):
        text = source.decode()
        found = _find(ast.parse(text), firstlineno, name)
        if found is None:
            return FakeFunction("missing", "not found")
        return _Mender(text.splitlines(), found, path, freevars).mend()


def _find(tree, firstlineno, name):
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
            if first == firstlineno:
                return node
    return None


class _Mender:
    def __init__(self, lines, node, path, freevars):
        self.source, self.node, self.path = lines, node, path
        self.indent = node.col_offset
        self.out: list[str] = []
        self.map: list[tuple[int, int | None]] = []
        self.sites: list[FakeSite] = []
        self.count = 0
        self.locals = {
            n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        } | {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        self.locals |= set(freevars)

    def mend(self):
        node = self.node
        first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
        original = [(n, self.indent) for n in range(first, node.end_lineno + 1)]
        self.copy(first, node.body[0].lineno - 1)
        self.block(node.body, node.end_lineno)
        text = "\n".join(self.cut(n) for n, _ in original) + "\n"
        if not self.sites:
            return FakeFunction("unchanged", "", text, original)
        return FakeFunction(
            "mended", "", text, original, "\n".join(self.out) + "\n", self.map, self.sites
        )

    def cut(self, number):
        return self.source[number - 1][self.indent :]

    def copy(self, first, last, shift=0):
        for number in range(first, last + 1):
            self.out.append(" " * shift + self.cut(number))
            self.map.append((number, self.indent - shift))

    def add(self, line, pad, text):
        for part in text.splitlines():
            self.out.append(pad + part)
            self.map.append((line, None))

    def block(self, body, end):
        at = body[0].lineno
        for statement in body:
            self.copy(at, statement.lineno - 1)
            self.statement(statement)
            at = statement.end_lineno + 1
        self.copy(at, end)

    def statement(self, node):
        pad = " " * (node.col_offset - self.indent)
        if _is_effect(node):
            return self.effect(node, pad)
        if isinstance(node, ast.Assert):
            return self.branch(node, pad, "guard")
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], ast.Raise):
            return self.branch(node, pad, "guard")
        if isinstance(node, ast.If) and all(map(_is_effect, node.body)) and not node.orelse:
            return self.branch(node, pad, "effect")
        if isinstance(node, ast.If) and _attributes(node):
            return self.branch(node, pad, "update")
        if isinstance(node, ast.If) and _assigned(node.body):
            return self.branch(node, pad, "select")
        if isinstance(node, (ast.For, ast.While, ast.With, ast.If)):
            self.copy(node.lineno, node.body[0].lineno - 1)
            last = node.orelse[0].lineno - 1 if getattr(node, "orelse", None) else node.end_lineno
            self.block(node.body, last)
            if getattr(node, "orelse", None):
                self.block(node.orelse, node.end_lineno)
            return None
        return self.copy(node.lineno, node.end_lineno)

    def site(self, node, mend, kind, pred, operands):
        self.count += 1
        content = f"{self.path}:{node.lineno}:{mend}"
        params = (["__gm_p"] if pred else []) + operands
        pad = node.col_offset
        head = f"def outlined({', '.join(params)}):"
        lines: list[tuple[int, int | None]] = [(node.lineno, None)]
        body = []
        for number in range(node.lineno, node.end_lineno + 1):
            body.append("    " + self.source[number - 1][pad:])
            lines.append((number, pad - 4))
        if pred:
            test = ast.get_source_segment("\n".join(self.source), node.test)
            body[0] = body[0].replace(test, "__gm_p", 1)
            lines[1] = (node.lineno, None)
        site = FakeSite(
            hashlib.sha1(content.encode()).hexdigest()[:16],
            kind,
            mend,
            node.lineno,
            node.end_lineno,
            "\n".join([head, *body]) + "\n",
            lines,
            params,
        )
        self.sites.append(site)
        return site

    def reads(self, *nodes):
        names = {
            n.id
            for node in nodes
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and n.id in self.locals and isinstance(n.ctx, ast.Load)
        }
        return sorted(names)

    def original(self, node, shift):
        self.copy(node.lineno, node.end_lineno, shift)

    def effect(self, node, pad):
        operands = self.reads(node)
        site = self.site(node, "effect", "print-call", False, operands)
        self.add(
            node.lineno,
            pad,
            f"if __graphmend__.active() and __graphmend__.run('{site.id}', "
            f"({_tuple(operands)})):\n    pass\nelse:",
        )
        self.original(node, 4)

    def branch(self, node, pad, mend):
        arms = list(node.body) + list(node.orelse) if isinstance(node, ast.If) else [node.msg]
        operands = self.reads(*[a for a in arms if a is not None])
        site = self.site(node, mend, "tensor-branch", True, operands)
        n, line = self.count, node.lineno
        add = lambda text: self.add(line, pad, text)  # noqa: E731
        add(f"__gm_h{n} = False\nif __graphmend__.active():")
        self.test(node.test, n, line, pad + "    ")
        add(f"    if __graphmend__.is_tensor(__gm_p{n}):")
        inner = self.handled(node, n, site, mend, operands)
        self.add(line, pad + "        ", inner)
        add(f"    if not __gm_h{n}:")
        self.original_with(node, n, pad)
        add("else:")
        self.original(node, 4)

    def test(self, test, n, line, pad):
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and len(test.values) == 2:
            left, right = map(ast.unparse, test.values)
            self.add(
                line,
                pad,
                f"__gm_p{n} = {left}\nif __graphmend__.rest_and(__gm_p{n}):\n"
                f"    __gm_p{n} = __graphmend__.and_(__gm_p{n}, {right})",
            )
        elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            self.add(line, pad, f"__gm_p{n} = __graphmend__.not_({ast.unparse(test.operand)})")
        else:
            self.add(line, pad, f"__gm_p{n} = {ast.unparse(test)}")

    def original_with(self, node, n, pad):
        start = len(self.out)
        self.copy(node.lineno, node.end_lineno, 8)
        test = ast.get_source_segment("\n".join(self.source), node.test)
        self.out[start] = self.out[start].replace(test, f"__gm_p{n}", 1)
        self.map[start] = (node.lineno, None)

    def handled(self, node, n, site, mend, operands):
        values = f"({_tuple(operands)})"
        if mend in ("guard", "effect"):
            return f"__gm_h{n} = __graphmend__.run('{site.id}', {values}, __gm_p{n})"
        if mend == "update":
            return (
                f"__gm_h{n} = __graphmend__.update('{site.id}', __gm_p{n}, {values}, self, "
                f"{tuple(sorted(_attributes(node)))!r})"
            )
        names = sorted(_assigned(node.body) | _assigned(node.orelse))
        text = [f"__gm_o{n}_{name} = {name}" for name in names if not _both(node, name)]
        text += [ast.unparse(s) for s in node.body]
        text += [f"__gm_n{n}_{name} = {name}" for name in names]
        text += [f"{name} = __gm_o{n}_{name}" for name in names if not _both(node, name)]
        text += [ast.unparse(s) for s in node.orelse]
        new = _tuple([f"__gm_n{n}_{name}" for name in names])
        text += [
            f"__gm_r{n} = __graphmend__.select('{site.id}', __gm_p{n}, ({new}), "
            f"({_tuple(names)}), {(True,) * len(names)!r}, True)",
            f"if __gm_r{n} is not None:",
            f"    {_tuple(names)} = __gm_r{n}",
            f"    __gm_h{n} = True",
        ]
        return "\n".join(text)


def _both(node, name):
    return name in _assigned(node.body) and name in _assigned(node.orelse)


def _tuple(names):
    return "".join(f"{name}, " for name in names)


def _is_effect(node):
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    root = node.value.func
    while isinstance(root, (ast.Attribute, ast.Call)):
        root = root.value if isinstance(root, ast.Attribute) else root.func
    return isinstance(root, ast.Name) and root.id in EFFECTS


def _assigned(body):
    names = set()
    for node in body:
        if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
            return set()
        names.add(node.targets[0].id)
    return names


def _attributes(node):
    return {
        t.attr
        for n in ast.walk(node)
        if isinstance(n, ast.Assign)
        for t in n.targets
        for t in ast.walk(t)
        if isinstance(t, ast.Attribute)
    } | {
        n.args[0].value
        for n in ast.walk(node)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "register_buffer"
    }
