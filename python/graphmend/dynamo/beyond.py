"""What breaks after the first break: a trace that goes on where Dynamo stops.

For ``fullgraph=True`` Dynamo's error names the first break only. To list the others, the call is
traced again, for the sake of the list alone: where an instruction breaks, its results are taken as
unknown, and the trace goes on behind it. What uses an unknown value gives an unknown value and is
no news. Nothing is compiled and no code of the user runs; what can only be reached by knowing a
value is missed, and a branch on an unknown value is followed one way in a first trace and the other
way in a second one.
"""

from __future__ import annotations

import dis
import sys
import threading
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch._dynamo.exc import ObservedException, RestartAnalysis, Unsupported, UserError
from torch._dynamo.output_graph import OutputGraph
from torch._dynamo.symbolic_convert import InstructionTranslatorBase
from torch._dynamo.variables.base import VariableTracker

from graphmend.dynamo import handlers

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphmend.evidence import Break
    from graphmend.mending import Mending

_MOST = 500
"""How many instructions a trace may pass over before it is given up."""
_RAISED = "Observed exception"
_lock = threading.Lock()


class Unknown(VariableTracker):
    """The value of something that can't be traced."""

    def __repr__(self) -> str:
        return "graphmend.Unknown()"


class Ended(Unsupported):
    """The trace came to the end of the function: there is nothing to compile."""

    def __init__(self) -> None:
        super().__init__("the trace for the list of breaks ended", "graphmend: ended")
        self.remove_from_stats()


@dataclass
class _Walk:
    """One trace that goes on behind breaks."""

    result: Mending
    jumps: bool
    """Whether branches on unknown values are taken."""
    found: list[Break] = field(default_factory=list)
    passed: int = 0
    entered: list[Any] = field(default_factory=list)
    """Unknown iterators whose loop was entered."""

    def step(self, tx: Any, original: Callable[[Any], bool]) -> bool:
        """One instruction; where it breaks, what comes after it."""
        stack, at = list(tx.stack), tx.instruction_pointer
        try:
            return original(tx)
        except (Ended, ObservedException, RestartAnalysis):
            raise
        except Exception as problem:
            inst = tx.current_instruction
            if at is None or getattr(problem, "gb_type", "") == _RAISED:
                raise
            effect = _effect(inst)
            known = not _mentions(problem, stack[-_reads(inst, effect) :])
            if known:
                if not isinstance(problem, (Unsupported, UserError)):
                    raise
                from graphmend.dynamo.evidence import describe

                self.found.append(describe(problem, str(problem)))
                if isinstance(problem, Unsupported) and problem.category is not None:
                    problem.remove_from_stats()
            self.passed += 1
            if self.passed > _MOST or not self._pass(tx, inst, stack, at, effect):
                raise
            return True

    def _pass(self, tx: Any, inst: Any, stack: list[Any], at: int, effect: int) -> bool:
        """Leave the stack as the instruction would; False when it is not known how."""
        name = inst.opname
        tx.instruction_pointer = at + 1
        if hasattr(tx, "kw_names"):
            tx.kw_names = None
        if name == "FOR_ITER":
            return self._loop(tx, inst, stack)
        if "JUMP" in name:
            tx.stack[:] = stack[:-1]
            if self.jumps and "BACKWARD" not in name:
                tx.jump(inst)
            return "IF" in name and "OR_POP" not in name
        pushes = _pushes(inst)
        if pushes is None or len(stack) + effect - pushes < 0:
            return False
        tx.stack[:] = stack[: len(stack) + effect - pushes]
        tx.stack += [Unknown() for _ in range(pushes)]
        return True

    def _loop(self, tx: Any, inst: Any, stack: list[Any]) -> bool:
        """A loop over what is unknown is entered once."""
        if not isinstance(stack[-1], Unknown):
            tx.stack[:] = [*stack[:-1], Unknown()]
            tx.instruction_pointer -= 1
            return True
        if any(stack[-1] is item for item in self.entered):
            tx.stack[:] = stack[:-1]
            if sys.version_info >= (3, 12):
                tx.stack[:] = [*stack, Unknown()]  # both are popped where the loop ends
            tx.jump(inst)
        else:
            self.entered.append(stack[-1])
            tx.stack[:] = [*stack, Unknown()]
        return True


def _effect(inst: Any) -> int:
    """By how much an instruction lets the stack grow."""
    effect = dis.stack_effect(inst.opcode, inst.arg, jump=False)
    if (3, 11) <= sys.version_info < (3, 12) and inst.opname == "CALL":
        effect += dis.stack_effect(dis.opmap["PRECALL"], inst.arg)
    return effect


def _reads(inst: Any, effect: int) -> int:
    """How much of the stack an instruction reads, at least one value."""
    return max(1, (_pushes(inst) or 0) - effect)


_NOTHING = ("STORE_", "DELETE_", "POP_", "LIST_", "SET_", "DICT_", "MAP_ADD", "IMPORT_STAR")


def _pushes(inst: Any) -> int | None:
    """How many results an instruction puts on the stack; None when that is not known."""
    name = inst.opname
    if name.startswith(_NOTHING):
        return 0
    if name in ("UNPACK_SEQUENCE", "LOAD_METHOD", "BEFORE_WITH"):
        return inst.arg if name == "UNPACK_SEQUENCE" else 2
    if name.startswith(("CALL", "LOAD_", "BINARY_", "UNARY_", "COMPARE_", "FORMAT_", "BUILD_")):
        return 1
    return 1 if name in ("CONTAINS_OP", "IS_OP", "GET_ITER", "IMPORT_NAME") else None


def _mentions(problem: Exception, values: list[Any]) -> bool:
    """Whether a problem may come from an unknown value: it is not one of the program's then."""
    found = []

    def look(value: VariableTracker) -> None:
        if isinstance(value, Unknown):
            found.append(value)

    VariableTracker.visit(look, values)
    return bool(found) or "Unknown()" in str(problem)


def breaks(call: Callable[[], Any], result: Mending) -> list[Break]:
    """The breaks that a trace of ``call`` comes upon when none of them stops it.

    ``call`` compiles for ``fullgraph=True``, and has failed before.
    """
    found: dict[tuple[str, int], Break] = {}
    for jumps in (False, True):
        walk = _Walk(result, jumps)
        with _lock:
            _traced(call, walk)
        for seen in walk.found:
            if seen.path:
                found.setdefault((seen.path, seen.line), seen)
    return list(found.values())


def _traced(call: Callable[[], Any], walk: _Walk) -> None:
    step: Any = InstructionTranslatorBase.step
    compile_subgraph: Any = OutputGraph.compile_subgraph
    kept, walk.result.evidence = walk.result.evidence, type(walk.result.evidence)()

    def is_this(tx: Any) -> bool:
        return handlers.is_ours(tx) and handlers.backend_of(tx).result is walk.result

    def stepping(self: Any) -> bool:
        return walk.step(self, step) if is_this(self) else bool(step(self))

    def compiling(self: Any, tx: Any, *rest: Any, **named: Any) -> Any:
        if is_this(tx):
            raise Ended
        return compile_subgraph(self, tx, *rest, **named)

    translator: Any = InstructionTranslatorBase
    graph: Any = OutputGraph
    translator.step, graph.compile_subgraph = stepping, compiling
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except Exception:
        pass  # it ends with an exception in any case, and none of them is news
    finally:
        translator.step, graph.compile_subgraph = step, compile_subgraph
        walk.result.evidence = kept
