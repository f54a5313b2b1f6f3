"""The ordered operators that run mended statements inside compiled graphs.

Three operators are registered with ``torch.library`` and marked as ordered effects, so that AOT
Autograd and inductor keep them, in order, in inference and training:

* ``graphmend::effect`` runs a statement for its effects,
* ``graphmend::guard`` tests a predicate and stops the compiled call when the original would raise,
* ``graphmend::update`` runs a statement that rebinds attributes, and returns their new values.

Each takes a *key* that names a record in this process: what the trace knew about the statement. A
graph that comes from a compile cache holds only the key, which the trace of this process has
entered before the graph runs.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo.eval_frame
import torch._dynamo.external_utils
from torch._higher_order_ops.effects import _EffectType, _register_effectful_op

from graphmend import host, onceness, operands, profiles, records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType, FrameType, FunctionType

    from graphmend.sites import Site

MEANING = "2"
"""Changed whenever a compiled graph that holds one of the operators would mean something else."""


class Fired(Exception):  # noqa: N818 - not an error: it stops a compiled call
    """Raised by an operator to stop a compiled call, so that the original is run instead."""

    def __init__(self, call: Call) -> None:
        super().__init__("a mended statement stopped this compiled call")
        self.call = call


class Retrace(
    torch._dynamo.exc.TensorifyScalarRestartAnalysis, torch._dynamo.exc.UnspecializeRestartAnalysis
):
    """Restarts a trace from within a backend, with nothing of the first trace kept."""


@dataclass
class Call:
    """One running call of a compiled callable that may have to be undone."""

    hooked: Callable[[], bool] = lambda: False
    emitted: list[str] = field(default_factory=list)
    trying: str = ""
    """The select whose arms are being traced, in the first frame of the call."""
    undo: list[Callable[[], None]] = field(default_factory=list)
    preludes: dict[host.Program, bool] = field(default_factory=dict)
    """Whether the results of each prelude of the first frame are in place."""


class _State(threading.local):
    call: Call | None = None


state = _State()
call_code: CodeType | None = None
"""The code of the function that makes compiled calls and undoes them."""


@dataclass(frozen=True)
class Shape:
    """What the trace takes for granted of a tensor that an update binds."""

    size: tuple[int, ...]
    stride: tuple[int, ...]
    dtype: torch.dtype
    device: torch.device

    @classmethod
    def of(cls, value: torch.Tensor) -> Shape:
        """The shape of a tensor."""
        return cls(tuple(value.shape), value.stride(), value.dtype, value.device)

    def fits(self, value: object) -> bool:
        """Whether a value is such a tensor, and needs no gradient."""
        return (
            isinstance(value, torch.Tensor)
            and type(value) in _TENSORS
            and self == Shape.of(value)
            and not value.requires_grad
        )

    def empty(self) -> torch.Tensor:
        """Such a tensor, with nothing in it."""
        return torch.empty_strided(self.size, self.stride, dtype=self.dtype, device=self.device)


_TENSORS = (torch.Tensor, torch.nn.Buffer)


@dataclass(eq=False)
class Record:
    """What a trace knew about a statement: enough to run it as the original would have run."""

    key: str
    site: Site
    frames: tuple[records.Frame, ...]
    plans: tuple[operands.Plan, ...]
    looks: tuple[operands.Look, ...]
    function: FunctionType
    entry: CodeType
    grad: bool
    fires: bool | None = None
    target: operands.Held | None = None
    attrs: tuple[str, ...] = ()
    shapes: tuple[Shape, ...] = ()

    def invoke(
        self, tensors: Sequence[torch.Tensor], ints: Sequence[int], pred: torch.Tensor | None
    ) -> None:
        """Run the statement under the original's stack, gradient mode and autograd keys."""
        with _as_user_code(self.grad):
            given = tensors[: len(self.looks)]  # what may follow only gives the operator a device
            dressed = [operands.dress(t, look) for t, look in zip(given, self.looks, strict=True)]
            values = [operands.build(plan, dressed, list(ints)) for plan in self.plans]
            if pred is not None:
                values.insert(0, pred)
            records.below(self.stack(), self.function, values)

    def stack(self) -> Sequence[records.Frame]:
        """The frames above the statement; the callers of the compiled call if they matter."""
        frames = self.frames
        if "stacklevel" in self.site.outline_text:
            frames = (*records.callers(self.entry, _only_compiled()), *frames)
        if "warn" in self.site.outline_text:
            onceness.keep([self.function.__globals__, *(frame.globals for frame in frames)])
        return frames


def _only_compiled() -> Callable[[FrameType], bool]:
    """A test for frames that stand between a compiled function and its caller only."""
    wrapped = False

    def skip(frame: FrameType) -> bool:
        nonlocal wrapped
        name = frame.f_code.co_filename
        if name in (_EVAL_FILE, _EXTERNAL_FILE) or name.startswith(_HERE):
            wrapped = True
            return True
        if wrapped and name.endswith(_MODULE_FILE):
            return True
        wrapped = False
        return False

    return skip


_HERE = __file__.rsplit("/", 1)[0]
_MODULE_FILE = torch.nn.modules.module.__file__
_EVAL_FILE = torch._dynamo.eval_frame.__file__
_EXTERNAL_FILE = torch._dynamo.external_utils.__file__
BETWEEN = frozenset({_MODULE_FILE, _EVAL_FILE, _EXTERNAL_FILE})
"""The files whose frames may stand between a compiled call and the frame that it enters."""


@contextlib.contextmanager
def _as_user_code(grad: bool) -> Iterator[None]:
    """Autograd as outside of an operator: its keys included again, gradient mode as traced."""
    exclude = torch._C._dispatch_tls_local_exclude_set() - _AUTOGRAD_KEYS
    include = torch._C._dispatch_tls_local_include_set()
    with torch._C._ForceDispatchKeyGuard(include, exclude), torch.set_grad_enabled(grad):
        yield


def _autograd_keys() -> torch._C.DispatchKeySet:
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.ADInplaceOrView)
    for name in ("AutogradCPU", "AutogradCUDA", "AutogradXPU", "AutogradMPS", "AutogradOther"):
        keys = keys.add(getattr(torch._C.DispatchKey, name))
    return keys


_AUTOGRAD_KEYS = _autograd_keys()

_records: dict[str, Record] = {}
_keys: dict[tuple[Any, ...], Record] = {}
_counts: dict[str, int] = {}
_lock = threading.Lock()


def record(
    site: Site,
    function: FunctionType,
    frames: tuple[records.Frame, ...],
    entry: CodeType,
    *,
    plans: tuple[operands.Plan, ...],
    looks: tuple[operands.Look, ...],
    grad: bool,
    fires: bool | None = None,
    target: operands.Held | None = None,
    attrs: tuple[str, ...] = (),
    shapes: tuple[Shape, ...] = (),
) -> Record:
    """Enter what a trace knows about a statement; the same knowledge gives the same record.

    ``function`` is the outlined statement, ``frames`` are the frames above it, ``entry`` is the
    code of the frame that Dynamo compiles.
    """
    identity: tuple[Any, ...] = (
        site.id,
        id(function),
        frames,
        id(entry),
        plans,
        looks,
        grad,
        target,
        attrs,
    )
    identity += (shapes,)
    with _lock:
        known = _keys.get(identity)
        if known is None:
            number = _counts.get(site.id, 0)
            _counts[site.id] = number + 1
            known = Record(
                key=f"{site.id}:{number}",
                site=site,
                frames=frames,
                plans=plans,
                looks=looks,
                function=function,
                entry=entry,
                grad=grad,
                fires=fires,
                target=target,
                attrs=attrs,
                shapes=shapes,
            )
            _keys[identity] = known
            _records[known.key] = known
        return known


def _effect(key: str, tensors: Sequence[torch.Tensor], ints: Sequence[int]) -> None:
    _emit(_records[key], tensors, ints, None)


def _effect_if(
    key: str, pred: torch.Tensor, tensors: Sequence[torch.Tensor], ints: Sequence[int]
) -> None:
    _emit(_records[key], tensors, ints, pred)


def _emit(
    entry: Record,
    tensors: Sequence[torch.Tensor],
    ints: Sequence[int],
    pred: torch.Tensor | None,
) -> None:
    """Run an effect; one that raises stops the call where that can be undone."""
    call = state.call
    try:
        entry.invoke(tensors, ints, pred)
    except BaseException:
        if call is not None and at_entry(entry.entry) and not call.hooked():
            raise Fired(call) from None
        raise
    if call is not None:
        call.emitted.append(entry.site.id)


def directly_called(frame: FrameType | None) -> bool:
    """Whether only the machinery of modules and Dynamo is between a frame and the call."""
    while frame is not None:
        if frame.f_code is call_code:
            return True
        if frame.f_code.co_filename not in BETWEEN:
            return False
        frame = frame.f_back
    return False


def at_entry(entry: CodeType) -> bool:
    """Whether the compiled frame of ``entry``, below which this runs, is the first of the call."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not records.is_frame_of(frame, entry):
        frame = frame.f_back
    return frame is not None and directly_called(frame.f_back)


def any_of_ours(graph: torch.fx.GraphModule) -> bool:
    """Whether a graph holds one of the operators."""
    return any(node.target in _OPERATORS for node in graph.graph.nodes)


def may_stop(node: torch.fx.Node) -> bool:
    """Whether a node of a graph may stop the call: ours, unless it is an effect of constants."""
    if node.target not in _OPERATORS:
        return False
    return node.target is not operator("effect") or bool(_records[str(node.args[0])].plans)


def refuse_written(graph: torch.fx.GraphModule) -> None:
    """Trace again without the updates whose results the graph writes in place.

    What an update gives is a copy of the attribute: the object would not see the write.
    """
    for node in graph.graph.nodes:
        source = node.args[0] if node.args else None
        if not isinstance(source, torch.fx.Node) or source.target is not operator("update"):
            continue
        example = node.meta.get("example_value")
        if isinstance(example, torch.Tensor) and example._version:
            site = _records[str(source.args[0])].site
            site.refused = "an attribute that it gives a value is written in place later"
            raise Retrace(restart_reason=site.refused)


def refuse_unfinished(loops: list[Any]) -> None:
    """Trace again without the loop over places that is left: its end was not checked."""
    site = loops.pop().site
    site.refused = "a graph break or an exception leaves the loop"
    raise Retrace(restart_reason=site.refused)


def _guard(
    key: str, pred: torch.Tensor, tensors: Sequence[torch.Tensor], ints: Sequence[int]
) -> None:
    entry = _records[key]
    if entry.fires is not None:
        if bool(pred) is not entry.fires:
            return
        if state.call is None:
            raise RuntimeError(
                f"{entry.site.path}:{entry.site.line}: raised in a compiled graph that was not "
                "called through the callable that graphmend.compile returned"
            )
        raise Fired(state.call)
    try:
        entry.invoke(tensors, ints, pred)
    except BaseException:
        if state.call is not None:
            raise Fired(state.call) from None
        raise


def _update(
    key: str,
    pred: torch.Tensor,
    tensors: Sequence[torch.Tensor],
    ints: Sequence[int],
) -> list[torch.Tensor]:
    entry = _records[key]
    assert entry.target is not None
    obj = entry.target.get()
    undo = _snapshot(obj)
    call = state.call
    try:
        entry.invoke(tensors, ints, pred)
        values = [current(obj, name) for name in entry.attrs]
        fits = all(map(Shape.fits, entry.shapes, values))
    except BaseException:
        undo()
        if call is not None:
            raise Fired(call) from None
        raise
    if not fits:
        undo()
        if call is None:
            raise RuntimeError(
                f"{entry.site.path}:{entry.site.line}: an attribute changed its shape or type "
                "inside a compiled graph"
            )
        raise Fired(call)
    if call is not None:
        call.undo.append(undo)
    return [value.detach().clone() for value in values]


def _update_fake(
    key: str,
    pred: torch.Tensor,
    tensors: Sequence[torch.Tensor],
    ints: Sequence[int],
) -> list[torch.Tensor]:
    return [shape.empty() for shape in _records[key].shapes]


def current(obj: Any, name: str) -> Any:
    """The value of an object's attribute, as it is stored."""
    own = vars(obj)
    for place in ("_parameters", "_buffers"):
        table = own.get(place)
        if isinstance(table, dict) and name in table:
            return table[name]
    return own[name]


def _snapshot(obj: Any) -> Callable[[], None]:
    """A function that puts the attributes of ``obj`` back as they are now."""
    own = vars(obj)
    before = dict(own)
    tables = ("_parameters", "_buffers", "_modules", "_non_persistent_buffers_set")
    inner = {name: own[name].copy() for name in tables if name in own}

    def undo() -> None:
        for name, saved in inner.items():
            table = before[name]
            table.clear()
            table.update(saved)
        own.clear()
        own.update(before)

    return undo


_library: Any = None
_OPERATORS: set[Any] = set()


def _named(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel; while a profiler records, it shows the place and kind of the mended site."""
    recording = profiles.recording

    @functools.wraps(kernel)
    def named(key: str, *arguments: Any) -> Any:
        if not recording():
            return kernel(key, *arguments)
        with profiles.span([_records[key].site.profiled]):
            return kernel(key, *arguments)

    return named


def define() -> None:
    """Register the operators, once."""
    global _library
    if _library is not None:
        return
    make: Any = torch.library.Library
    library = make("graphmend", "DEF")
    arguments = "Tensor[] tensors, SymInt[] ints"
    nothing = lambda *_: None  # noqa: E731
    kernels: list[tuple[str, str, Callable[..., Any], Callable[..., Any]]] = [
        ("effect", f"(str key, {arguments}) -> ()", _effect, nothing),
        ("effect_if", f"(str key, Tensor pred, {arguments}) -> ()", _effect_if, nothing),
        ("guard", f"(str key, Tensor pred, {arguments}) -> ()", _guard, nothing),
        (
            "update",
            f"(str key, Tensor pred, {arguments}) -> Tensor[]",
            _update,
            _update_fake,
        ),
    ]
    for name, schema, kernel, fake in kernels:
        library.define(name + schema)
        library.impl(name, _named(kernel), "CompositeExplicitAutograd")
        torch.library.register_fake(f"graphmend::{name}", fake, lib=library)
        overload = operator(name)
        _register_effectful_op(overload, _EffectType.ORDERED)
        torch.fx.node.has_side_effect(overload)
        _OPERATORS.add(overload)
    _library = library


def operator(name: str) -> Any:
    """The registered operator of that name."""
    return getattr(torch.ops.graphmend, name).default
