"""Cases of the mends: what a case file says, how it is mended, and the answer as text.

A case is a Python file. Comments at its start are headers: ``# function: Name`` (by default the
last function of the file), ``# facts: name=fact, ...`` for what the run time would know of live
globals, ``# newlines: crlf``. The facts of imports, builtins and loggers are read off the file.
"""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType
from typing import Any

HERE = Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
DECLINED = HERE / "declined"
HEADER = re.compile(r"# ([a-z]+): *(.*)")


@dataclass(frozen=True)
class Case:
    """One case file."""

    path: Path

    @cached_property
    def headers(self) -> dict[str, str]:
        """The comments at the start."""
        found = {}
        for line in self.path.read_text(encoding="utf-8").splitlines():
            match = HEADER.fullmatch(line)
            if match is None:
                break
            found[match[1]] = match[2]
        return found

    @cached_property
    def source(self) -> bytes:
        """The source that is mended."""
        text = self.path.read_bytes()
        return text.replace(b"\n", b"\r\n") if self.headers.get("newlines") == "crlf" else text

    @cached_property
    def text(self) -> str:
        """The source with plain line ends."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def code(self) -> CodeType:
        """The code object of the function that is mended."""
        wanted = self.headers.get("function")
        last = None
        for code in _functions(compile(self.text, self.path.name, "exec")):
            if code.co_qualname.replace(".<locals>", "") == wanted:
                return code
            if wanted is None and "<locals>" not in code.co_qualname:
                last = code
        if last is None:
            raise ValueError(f"{self.path.name} has no function {wanted or ''}")
        return last

    @cached_property
    def facts(self) -> dict[str, str]:
        """What is known of the file's global names."""
        facts = facts_of(ast.parse(self.text))
        for pair in filter(None, self.headers.get("facts", "").split(", ")):
            name, _, fact = pair.partition("=")
            facts[name] = fact
        return facts

    def mend(self) -> Any:
        """The core's answer."""
        import graphmend._core

        parts = self.code.co_qualname.split(".")
        in_class = len(parts) > 1 and parts[-2] != "<locals>"
        return graphmend._core.mend_function(
            self.source,
            self.path.name,
            self.code.co_firstlineno,
            self.code.co_name,
            freevars=list(self.code.co_freevars),
            class_name=parts[-2] if in_class else None,
            facts=self.facts,
        )

    @cached_property
    def definition(self) -> ast.FunctionDef | ast.AsyncFunctionDef:
        """The syntax of the function that is mended."""
        for node in ast.walk(ast.parse(self.text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
                if first == self.code.co_firstlineno and node.name == self.code.co_name:
                    return node
        raise ValueError(f"{self.path.name}: {self.code.co_name} is not a def")


def _functions(code: CodeType) -> list[CodeType]:
    found = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_flags & 0x2 and not constant.co_name.startswith("<"):
                found.append(constant)
            found += _functions(constant)
    return found


def facts_of(tree: ast.Module) -> dict[str, str]:
    """Facts as the run time reads them off a live module, as far as imports tell."""
    facts: dict[str, str] = {}
    bound = set()
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                name = alias.asname or alias.name.split(".")[0]
                facts[name] = "module:" + (alias.name if alias.asname else name)
        elif isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                if (statement.module, alias.name) == ("torch", "nn"):
                    facts[alias.asname or alias.name] = "module:torch.nn"
                else:
                    bound.add(alias.asname or alias.name)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            if "getLogger" in ast.unparse(statement.value):
                facts[name] = "logger"
            bound.add(name)
        elif isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            facts[statement.name] = "callable"
    for name in dir(builtins):
        if name not in bound:
            facts.setdefault(name, "builtin")
    return facts


def cases(folder: Path) -> list[Case]:
    """The cases of a folder in the order of their names."""
    return [Case(path) for path in sorted(folder.glob("*.py"))]


def render(answer: Any) -> str:
    """An answer of the core as text that shows every part of it."""
    parts = [f"status: {answer.status}\n"]
    if answer.message:
        parts.append(f"message: {answer.message}\n")
    names = {site.id: f"SITE{number}" for number, site in enumerate(answer.sites, start=1)}
    for site in answer.sites:
        place = f"{site.line}:{site.column}-{site.end_line}:{site.end_column}"
        how = site.mend or f"declined\n  reason: {site.reason}\n  advice: {site.advice}"
        parts.append(f"{names[site.id]} {place} {site.kind} {site.gb} {site.certainty}: {how}\n")
        if site.outline_text:
            params = ", ".join(site.params)
            calls = f"; calls {', '.join(site.calls)}" if site.calls else ""
            parts.append(f"  outlined over ({params}){calls}:\n")
            parts.append(_numbered(site.outline_text, site.outline_lines))
    if answer.text:
        parts.append("mended:\n")
        parts.append(_numbered(answer.text, answer.lines))
    text = "".join(parts)
    for identity, name in names.items():
        text = text.replace(identity, name)
    return text


def _numbered(text: str, lines: list[tuple[int, int | None]]) -> str:
    """Each line with the original line it stands for, and how far to the right that one stands."""
    rows = text.split("\n")
    if rows[-1] == "":
        rows.pop()
    assert len(rows) == len(lines), f"{len(rows)} lines of text, {len(lines)} in the line map"
    made = []
    for row, (line, shift) in zip(rows, lines, strict=True):
        moved = "" if shift is None else f"{shift:+d}"
        made.append(f"{line:4d}{moved:>4} | {row}".rstrip() + "\n")
    return "".join(made)
