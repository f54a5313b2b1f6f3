"""Random programs: tensor branches, checks, effects, aliases and in-place writes, mixed.

Each seed gives one program in the form that the harness runs. Values are small integers in float32,
so that every way to compute them is exact.
"""

from __future__ import annotations

import random

HEAD = '''\
# any
"""A random program, made from seed {seed}."""

import logging
import warnings

import torch

logger = logging.getLogger(__name__)
COUNT = 0
SEEN = []


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.last = None
        self.register_buffer("total", torch.zeros(3))

    def helper(self, a, k):
{helper}

    def forward(self, x, y, k, flag):
        global COUNT
{body}


def make():
    row = torch.tensor([1.0, -2.0, 3.0])
    return Model(), [
        (row, row + 1, 1, True),
        (-row, row, 1, True),
        (row * 4, -row, 2, False),
        (row - 9, row * 2, 1, True),
        (row, row + 1, 1, True),
    ]
'''


class Generator:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.lines: list[str] = []
        self.names: list[str] = []
        self.fresh = 0
        self.method = False

    def program(self) -> str:
        """The text of the program."""
        helper = self._function(["a"], self.random.randint(1, 4), method=False)
        body = self._function(["x", "y"], self.random.randint(5, 11), method=True)
        return HEAD.format(seed=self.seed, helper=helper, body=body)

    def _function(self, names: list[str], size: int, method: bool) -> str:
        self.lines, self.names, self.fresh, self.method = [], list(names), 0, method
        for _ in range(size):
            self._statement(8, 2)
        count = self.random.randint(1, min(3, len(self.names)))
        results = self.random.sample(self.names, count) if method else [self.names[-1]]
        self._line(8, "return " + ", ".join(results))
        return "\n".join(self.lines)

    def _line(self, indent: int, text: str) -> None:
        self.lines.append(" " * indent + text)

    def _name(self) -> str:
        return self.random.choice(self.names[-4:])

    def _new(self) -> str:
        if self.random.random() < 0.3:
            return self._name()
        self.fresh += 1
        return f"v{self.fresh}"

    def _value(self) -> str:
        a, b, n = self._name(), self._name(), self.random.randint(1, 4)
        choices = [
            f"{a} + {n}",
            f"{a} - {b}",
            f"{a} * {n}",
            f"torch.clamp({a}, max={n}.0)",
            f"{a}.abs()",
            f"torch.where({a} > 0, {a}, {b})",
            f"-{a}",
            f"{a} + {b} * {n}",
        ]
        if self.method:
            choices.append(f"self.helper({a}, k)")
            choices.append("self.total + 1")
        return self.random.choice(choices)

    def _test(self, depth: int = 0) -> str:
        a, n = self._name(), self.random.randint(-6, 6)
        choices = [
            f"{a}.sum() > {n}",
            f"({a} < {n}).any()",
            f"{a}.max() <= {n}",
            f"{n} < {a}.sum() < {n + 9}",
            f"torch.isfinite({a}).all()",
        ]
        if depth < 2:
            rest, flag = self._test(depth + 1), "flag" if self.method else "k > 1"
            choices += [
                f"not ({rest})",
                f"({rest} and {flag})",
                f"({flag} or {rest})",
                f"({rest} or {flag})",
                f"({rest} and {self._test(depth + 1)})",
            ]
        return self.random.choice(choices)

    def _assign(self, indent: int) -> str:
        name = self._new()
        value = self._name() if self.random.random() < 0.25 else self._value()
        self._line(indent, f"{name} = {value}")
        return name

    def _bind(self, name: str) -> None:
        if name in self.names:
            self.names.remove(name)
        self.names.append(name)

    def _statement(self, indent: int, depth: int) -> None:
        kind = self.random.choice(
            ["assign"] * 4
            + ["select"] * 4
            + ["write", "guard", "assert", "effect", "effect", "branch_effect", "state"]
            + (["loop", "python"] if depth else [])
        )
        getattr(self, f"_{kind}_statement")(indent, depth)

    def _assign_statement(self, indent: int, _: int) -> None:
        self._bind(self._assign(indent))

    def _select_statement(self, indent: int, _: int) -> None:
        self._line(indent, f"if {self._test()}:")
        before = list(self.names)
        bound = set()
        for _ in range(self.random.randint(1, 2)):
            bound.add(self._assign(indent + 4))
        if self.random.random() < 0.5:
            self._line(indent, "else:")
            if bound - set(before):
                for name in sorted(bound):
                    self._line(indent + 4, f"{name} = {self._value()}")
            else:
                self._line(indent + 4, f"{self._name()} = {self._value()}")
        elif bound - set(before):
            self._line(indent, "else:")
            for name in sorted(bound - set(before)):
                self._line(indent + 4, f"{name} = {self._name()}")
        for name in sorted(bound):
            self._bind(name)

    def _write_statement(self, indent: int, _: int) -> None:
        name, n = self._name(), self.random.randint(1, 3)
        ways = [f"{name}.add_({n})", f"{name} += {n}", f"{name}[0] = {n}.0"]
        if self.method:
            ways += [f"self.total.add_({name})", f"self.total = {name}", f"self.last = {name}"]
        self._line(indent, self.random.choice(ways))

    def _guard_statement(self, indent: int, _: int) -> None:
        name = self._name()
        self._line(
            indent,
            f"if {name}.sum() {self.random.choice(['>', '<'])} "
            f"{self.random.choice([-30, -14, 14, 30])}:",
        )
        self._line(indent + 4, f'raise ValueError(f"{name}: {{{name}.sum().item()}} {{k}}")')

    def _assert_statement(self, indent: int, _: int) -> None:
        name = self._name()
        limit = self.random.choice([12, 25, 99])
        self._line(indent, f"assert {name}.max() < {limit}, ('{name}', k)")

    def _effect(self) -> str:
        name = self._name()
        choices = [
            f'print("{name}", {name}, k)',
            f'print(f"{{{name}.sum().item():.1f}}", {name}.shape)',
            f'logger.info("%s of %s", {name}.tolist(), k)',
            f'warnings.warn("warning {name}")',
        ]
        if self.method:
            choices.append("print(self.calls, COUNT, SEEN)")
        return self.random.choice(choices)

    def _effect_statement(self, indent: int, _: int) -> None:
        self._line(indent, self._effect())

    def _branch_effect_statement(self, indent: int, _: int) -> None:
        self._line(indent, f"if {self._test()}:")
        self._line(indent + 4, self._effect())

    def _state_statement(self, indent: int, _: int) -> None:
        if self.method:
            ways = ["self.calls += 1", "COUNT += 1", "SEEN.append(k)"]
            self._line(indent, self.random.choice(ways))
        else:
            self._assign_statement(indent, 0)

    def _loop_statement(self, indent: int, depth: int) -> None:
        self._line(indent, f"for i in range({self.random.choice(['2', 'k'])}):")
        self._nested(indent + 4, depth - 1)

    def _python_statement(self, indent: int, depth: int) -> None:
        test = self.random.choice(["flag", "k > 1"]) if self.method else "k > 1"
        self._line(indent, f"if {test}:")
        self._nested(indent + 4, depth - 1)

    def _nested(self, indent: int, depth: int) -> None:
        """Statements of a suite; names that only they bind are not known after it."""
        before = list(self.names)
        for _ in range(self.random.randint(1, 3)):
            self._statement(indent, depth)
        self.names = before


def program(seed: int) -> str:
    """The program of a seed."""
    return Generator(seed).program()
