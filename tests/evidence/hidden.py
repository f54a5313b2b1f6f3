"""Programs that hide the function with the break from every analysis of names.

A program is a way of hiding and a body that breaks the graph. ``work`` is the hidden function;
names that lead to it are computed, or it is made or put in its place while the program runs.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

HEAD = """\
import functools
import logging
import operator
import types
import warnings

import torch

logger = logging.getLogger("hidden")
PART = "wo"


class Base(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(2, 2)
        with torch.no_grad():
            self.linear.weight.copy_(torch.eye(2))
            self.linear.bias.zero_()
        self.prepare()

    def prepare(self):
        pass


class Box:
    pass

"""

BODIES = {
    "select": """
        x = x * 1
        if x.sum() > 0:
            x = x + 1
        return x * 2
    """,
    "select_else": """
        x = x * 1
        if x.mean() > 0:
            y = x + 1
        else:
            y = x - 1
        return y * 2
    """,
    "print": """
        print("seen", tuple(x.shape), x.sum())
        return x + 3
    """,
    "log": """
        logger.warning("seen %s", tuple(x.shape))
        return x + 3
    """,
    "warn": """
        warnings.warn("careful")
        return x + 3
    """,
    "guard": """
        if x.sum() > 1000:
            raise ValueError("large")
        return x + 3
    """,
    "assert_": """
        assert x.sum() < 1000, "large"
        return x + 3
    """,
}

# Statements of random bodies: some compute (or assert, which torch traces by itself), the others
# break the graph.
_COMPUTE = (
    "x = x * {number}",
    "x = x + {number}",
    "x = torch.tanh(x) * 4",
    "x = x - x.mean() * {number}",
    "x = torch.relu(x) + {number}",
    "x = x.abs().sqrt() + {number}",
    'assert x.{reduce}() < 1000 + {index}, "large at {index}"',
)
_BREAK = (
    "if x.{reduce}() > {number}:\n    x = x + {other}",
    "if x.{reduce}() > {number}:\n    y = x + {other}\nelse:\n    y = x * {other}\nx = y - 1",
    'print("at {index}", tuple(x.shape), x.{reduce}())',
    'logger.warning("at {index} %s", tuple(x.shape))',
    'warnings.warn("careful at {index}")',
    'if x.{reduce}() > 1000 + {index}:\n    raise ValueError("large at {index}")',
)


def random_body(random: Random) -> str:
    """Statements that compute, with one to three sites among them."""
    lines = ["x = x * 1"]
    sites = set(random.sample(range(5), random.randint(1, 3)))
    for index in range(5):
        form = random.choice(_BREAK if index in sites else _COMPUTE)
        lines.append(
            form.format(
                index=index,
                number=round(random.uniform(0.5, 3), 2),
                other=round(random.uniform(0.5, 3), 2),
                reduce=random.choice(("sum", "mean", "max")),
            )
        )
    return "\n".join([*lines, "return x + 3"])


FUNCTION = "def {name}(x):\n{body}\n"
METHOD = "def {name}(self, x):\n{body}\n"


@dataclass(frozen=True)
class Way:
    """A way of hiding: a text with ``@FUNCTION name@`` or ``@METHOD name@`` where the body goes."""

    name: str
    text: str


WAYS = [
    Way(
        "getattr_of_a_computed_name",
        """
        class Model(Base):
            def forward(self, x):
                return getattr(self, PART + "rk")(self.linear(x))

            @METHOD work@
        """,
    ),
    Way(
        "getattr_by_argument",
        """
        class Model(Base):
            name = "".join(["w", "ork"])

            def forward(self, x):
                return getattr(self, self.name)(self.linear(x))

            @METHOD work@
        """,
    ),
    Way(
        "patched_forward_of_an_instance",
        """
        class Model(Base):
            def forward(self, x):
                return self.linear(x)

        @METHOD work@

        def after(model):
            model.linear.forward = types.MethodType(work, model.linear)
        """,
    ),
    Way(
        "patched_method_of_a_class",
        """
        class Model(Base):
            def forward(self, x):
                return self.helper(self.linear(x))

            def helper(self, x):
                return x

        @METHOD work@

        def after(model):
            Model.helper = work
        """,
    ),
    Way(
        "table_in_a_table",
        """
        @FUNCTION work@

        TABLE = {"a": {"b": {"c": {"d": [work]}}}}

        class Model(Base):
            def forward(self, x):
                return TABLE["a"]["b"]["c"]["d"][0](self.linear(x))
        """,
    ),
    Way(
        "large_table",
        """
        @FUNCTION work@

        TABLE = [None] * 300 + [work]

        class Model(Base):
            def forward(self, x):
                return TABLE[-1](self.linear(x))
        """,
    ),
    Way(
        "passed_in_a_structure",
        """
        @FUNCTION work@

        class Model(Base):
            def forward(self, x, steps):
                for step in steps:
                    x = step(x)
                return self.linear(x)

        def arguments(x):
            return x, [work]
        """,
    ),
    Way(
        "passed_as_an_argument",
        """
        @FUNCTION work@

        class Model(Base):
            def forward(self, x, step):
                return step(self.linear(x))

        def arguments(x):
            return x, work
        """,
    ),
    Way(
        "partial_passed",
        """
        @FUNCTION work@

        class Model(Base):
            def forward(self, x, step):
                return step(self.linear(x))

        def arguments(x):
            return x, functools.partial(work)
        """,
    ),
    Way(
        "made_during_the_call",
        """
        class Model(Base):
            def forward(self, x):
                @FUNCTION work@
                return work(self.linear(x))
        """,
    ),
    Way(
        "made_during_the_call_with_a_cell",
        """
        class Model(Base):
            def forward(self, x):
                factor = 1.0
                def outer(x):
                    @FUNCTION work@
                    return work(x * factor)
                return outer(self.linear(x))
        """,
    ),
    Way(
        "decorator_made_during_the_call",
        """
        def twice(function):
            def wrapper(x):
                return function(x) * 1
            return wrapper

        class Model(Base):
            def forward(self, x):
                @twice
                @FUNCTION work@
                return work(self.linear(x))
        """,
    ),
    Way(
        "object_made_by_the_caller",
        """
        class Step:
            def __init__(self):
                self.rank = PART + "rk"

            def run(self, x):
                return getattr(self, self.rank)(x)

            @METHOD work@

        class Model(Base):
            def forward(self, x, step):
                return step.run(self.linear(x))

        def arguments(x):
            return x, Step()
        """,
    ),
    Way(
        "class_of_an_argument",
        """
        class Model(Base):
            def forward(self, x, box):
                return box.deal(self.linear(x))

        def made():
            class Hidden(Box):
                @METHOD deal@
            return Hidden()

        def arguments(x):
            return x, made()
        """,
    ),
    Way(
        "class_made_by_type",
        """
        @METHOD work@

        def after(model):
            model.part = type("Part", (torch.nn.Module,), {"forward": work})()

        class Model(Base):
            def forward(self, x):
                return self.part(self.linear(x))
        """,
    ),
    Way(
        "submodule_added_later",
        """
        class Part(torch.nn.Module):
            @METHOD forward@

        class Model(Base):
            def prepare(self):
                self.parts = torch.nn.ModuleList()

            def forward(self, x):
                x = self.linear(x)
                for part in self.parts:
                    x = part(x)
                return x

        def after(model):
            model.parts.append(Part())
        """,
    ),
    Way(
        "name_from_a_list",
        """
        class Model(Base):
            steps = ("wor" + "k",)

            def forward(self, x):
                x = self.linear(x)
                for step in self.steps:
                    x = getattr(self, step)(x)
                return x

            @METHOD work@
        """,
    ),
    Way(
        "global_bound_later",
        """
        def helper(x):
            return x

        @FUNCTION work@

        class Model(Base):
            def forward(self, x):
                return helper(self.linear(x))

        def after(model):
            global helper
            helper = work
        """,
    ),
    Way(
        "attribute_of_an_object_bound_later",
        """
        BOX = Box()

        @FUNCTION work@

        class Model(Base):
            def forward(self, x):
                return BOX.step(self.linear(x))

        def after(model):
            BOX.step = work
        """,
    ),
    Way(
        "function_from_its_code",
        """
        @FUNCTION work@

        def after(model):
            global work
            model.step = types.FunctionType(work.__code__, globals())
            del work

        class Model(Base):
            def forward(self, x):
                return self.step(self.linear(x))
        """,
    ),
]


def text(way: Way, body: str) -> str:
    """The program; the body is one of those above, or statements."""
    found = []
    for line in textwrap.dedent(way.text).splitlines():
        mark = line.strip()
        if mark.startswith(("@FUNCTION ", "@METHOD ")):
            kind, name = mark.strip("@").split()
            template = FUNCTION if kind == "FUNCTION" else METHOD
            indent = line[: len(line) - len(line.lstrip())]
            inner = textwrap.indent(textwrap.dedent(BODIES.get(body, body)).strip("\n"), "    ")
            found.append(textwrap.indent(template.format(name=name, body=inner), indent))
        else:
            found.append(line)
    return HEAD + "\n".join(found)
