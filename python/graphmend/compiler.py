"""``graphmend.compile``: mend, then ``torch.compile``."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.exc import TorchDynamoException
from torch.fx.experimental.symbolic_shapes import free_unbacked_symbols

from graphmend import (
    dynamo,
    hook,
    host,
    logs,
    mending,
    operators,
    picking,
    profiles,
    randomness,
    ranks,
    runtime,
    sites,
    swap,
    watching,
)
from graphmend import verify as verification
from graphmend.dynamo.eagerly import eagerly

if TYPE_CHECKING:
    from collections.abc import Callable

_log = logs.logger("traces")


class Backend:
    """Stands before the user's backend: marks our traces, and lets a guard undo a call."""

    graphmend_backend = True

    def __init__(
        self,
        inner: Callable[..., Any],
        name: str,
        result: mending.Mending | None = None,
        unused_grad: str = "none",
    ) -> None:
        self.inner = inner
        self.unused_grad = unused_grad
        self.result = mending.Mending() if result is None else result
        """What was done for the callable that this backend compiles."""
        self.__name__ = name
        self.compiler_name = name
        self.checker: verification.Verifier | None = None
        """Compares calls with the original, where that was asked for."""
        self.watch: watching.Watch | None = None
        """Notes graphs and times, where that was asked for."""
        self.cached = False
        self.draws = False
        """Whether a graph that may be stopped draws random numbers."""
        self.traced: Any = None
        """Dynamo's output graph, from the trace of such a graph until it is compiled."""
        self.captured = False
        """Whether the trace in progress keeps a value that only the host can know."""
        self.uncaptured: set[Any] = set()
        """Code whose trace failed with such values, and is left to break as it does by default."""
        self.loops: list[Any] = []
        """The loops over places that the trace in progress is in."""
        self.failures: dict[Any, int] = {}
        self.reads: dict[tuple[str, int], host.Read] = {}
        self.host_values: dict[str, Any] = {}
        """The first value of each result of a prelude, to see which change."""
        self.host_changes = False

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Backend)
            and bool(self.inner == other.inner)
            and self.unused_grad == other.unused_grad
        )

    def __hash__(self) -> int:
        return hash(self.__name__)

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[Any], **kwargs: Any) -> Any:
        """Compile a graph; one that holds a guard keeps what its inputs were."""
        if self.loops:
            operators.refuse_unfinished(self.loops)
        if operators.any_of_ours(graph) or self._branches(graph):
            self._let_cache()
        unknown = any(map(_is_unknown, graph.graph.nodes)) and operators.state.call is not None
        stopping = unknown or any(map(operators.may_stop, graph.graph.nodes))
        written: list[int] = []
        if stopping:
            operators.refuse_written(graph)
            written = _written(graph)
            drawn = randomness.draws(graph.graph, dict(graph.named_modules())) or bool(
                getattr(self.traced, "random_calls", True)
            )
            self.traced = None
            if not self.draws and drawn:
                self.draws = True
                if operators.state.call is not None:
                    operators.state.call.undo.insert(0, save_random())
        marked, nodes = profiles.take(graph)
        compiled = self.inner(graph, inputs, **kwargs)
        compiled = picking.directly(graph, compiled, picking.conditionals(nodes))
        if marked:
            compiled = profiles.spanned(compiled, marked)
        if self.watch is not None:
            compiled = self.watch.graph(graph, compiled)
        if unknown:
            compiled = _stopping(compiled)
        return _keeping(compiled, written) if written else compiled

    def note(self, path: str, line: int, function: str, mend: str, reason: str) -> None:
        """Note what became of a host read; what holds for one trace only is told as it was last."""
        read = self.reads.setdefault((path, line), host.Read(path, line, function, mend))
        read.mend, read.reason = mend, reason
        read.used += 1

    def leave(self, reason: str) -> None:
        """Note that the values kept in the graph so far could not stay there."""
        for read in self.reads.values():
            if read.mend == "capture":
                read.mend = ""
                read.reason = "; ".join(filter(None, (read.reason, reason)))

    def may_fail(self, code: Any) -> bool:
        """Whether the values of a call are to blame when a trace fails: not time after time."""
        self.failures[code] = self.failures.get(code, 0) + 1
        return self.failures[code] <= _FAILURES

    def _branches(self, graph: torch.fx.GraphModule) -> bool:
        """Whether a graph may hold a conditional that a mend made."""
        conditional = torch.ops.higher_order.cond
        return self.result.uses("cond", "tail") and any(
            node.target is conditional for node in graph.graph.nodes
        )

    def _let_cache(self) -> None:
        """Let inductor keep a graph with our operators in its cache."""
        options = getattr(self.inner, "apply_options", None)
        if options is not None and not self.cached:
            options({"unsafe_marked_cacheable_functions": _cacheable()})
            self.cached = True

    def reset(self) -> None:
        """Dynamo's reset reaches the user's backend."""
        reset = getattr(self.inner, "reset", None)
        if reset is not None:
            reset()


_FAILURES = 3
"""How many traces of a function may end because an operator refuses what the host read."""


def _is_unknown(node: torch.fx.Node) -> bool:
    """Whether a node's value has a size or a number that only the host can know."""
    return _has_unknown(node.meta.get("example_value"))


def _has_unknown(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_has_unknown, value))
    kinds = (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool)
    return isinstance(value, kinds) and bool(free_unbacked_symbols(value))


def _stopping(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Whatever is raised within such a graph, the original says what it should be."""

    @functools.wraps(compiled)
    def stop(*arguments: Any) -> Any:
        call = operators.state.call
        try:
            return compiled(*arguments)
        except operators.Fired:
            raise
        except Exception:
            if call is None:
                raise
            raise operators.Fired(call) from None

    return stop


def _written(graph: torch.fx.GraphModule) -> list[int]:
    """Which inputs a graph writes in place."""
    found = []
    holders = [node for node in graph.graph.nodes if node.op == "placeholder"]
    for index, node in enumerate(holders):
        example = node.meta.get("example_value")
        if isinstance(example, torch.Tensor) and example._version:
            found.append(index)
    return found


def _keeping(compiled: Callable[..., Any], written: list[int]) -> Callable[..., Any]:
    @functools.wraps(compiled)
    def keep(*arguments: Any) -> Any:
        call = operators.state.call
        if call is not None:
            call.undo.append(_restorer([arguments[index] for index in written]))
        return compiled(*arguments)

    return keep


def _restorer(tensors: list[torch.Tensor]) -> Callable[[], None]:
    saved = [(tensor, tensor.detach().clone()) for tensor in tensors]

    def restore() -> None:
        with torch.no_grad():
            for tensor, before in saved:
                tensor.detach().copy_(before)

    return restore


def save_random() -> Callable[[], None]:
    """A function that puts torch's and Python's random generators back as they are now."""
    python = random.getstate()
    cpu = torch.get_rng_state()
    cuda: Any = torch.cuda
    devices = cuda.get_rng_state_all() if cuda.is_initialized() else None

    def restore() -> None:
        random.setstate(python)
        torch.set_rng_state(cpu)
        if devices is not None:
            cuda.set_rng_state_all(devices)

    return restore


def _guarded(compiled: Callable[..., Any], original: Any, backend: Backend) -> Callable[..., Any]:
    """The compiled callable; when a guard fires it is undone, and the original runs."""
    state = operators.state
    hooked = functools.partial(_hooked, original)

    watch = backend.watch
    checker, result = backend.checker, backend.result
    distributed: Any = torch.distributed
    several = distributed.is_initialized if distributed.is_available() else bool

    @functools.wraps(compiled)
    def mended_call(*args: Any, **kwargs: Any) -> Any:
        if watch is not None and not watch.running and not torch.compiler.is_compiling():
            return watch.run(mended_call, args, kwargs)
        if checker is not None and checker.due(args, kwargs):
            return checker.call(mended_call, original, args, kwargs)
        if result.unchecked and several():
            ranks.check(result.take_unchecked())
        outer = state.call
        while True:
            call = state.call = operators.Call(hooked)
            if backend.draws:
                call.undo.append(save_random())
            try:
                return compiled(*args, **kwargs)
            except operators.Fired as fired:
                if fired.call is not call:
                    raise
                break
            except TorchDynamoException as problem:
                # Arms failed while tracing that Python may never run: nothing has run yet.
                if not _leave_tried(call, problem):
                    from graphmend.dynamo import evidence

                    state.call = operators.Call(hooked)
                    broken = evidence.still_broken(
                        problem, result, lambda: compiled(*args, **kwargs)
                    )
                    if broken is None:
                        raise
                    raise broken from problem
            finally:
                state.call = outer
                if result.stale:
                    _drop_stale(result)
        for undo in reversed(call.undo):
            undo()
        # What is compiled apart and called within has its effects again, were it not run eagerly.
        making = swap.making(result.makers, result.made)
        with eagerly(), making, runtime.direct(call.emitted):
            return original(*args, **kwargs)

    wrapped: Any = mended_call
    operators.call_code = wrapped.__code__
    wrapped._torchdynamo_wrapper_id = id(mended_call)
    return mended_call


def _drop_stale(result: mending.Mending) -> None:
    """What the last trace showed was mended: the next call is traced again."""
    result.stale = False
    result.evidence.retraces += 1
    _log.info("compiled code is dropped, and traced again with what was mended since")
    swap.reset()


def _leave_tried(call: operators.Call, problem: Exception) -> bool:
    """Note that the arms that a call was tracing don't fit; False when it was tracing none."""
    site = sites.find(call.trying) if call.trying else None
    if site is None:
        return False
    first = str(problem).strip().splitlines() or [type(problem).__name__]
    site.unfit = f"what an arm computes fails while tracing: {first[0]}"
    return True


def _hooked(original: Any) -> bool:
    owner = getattr(original, "__self__", original)
    if not isinstance(owner, torch.nn.Module):
        return False
    module: Any = torch.nn.modules.module
    return bool(owner._forward_pre_hooks or owner._forward_hooks or module._has_any_global_hook())


class _Context:
    """Makes the forward of an OptimizedModule, again after it was copied or unpickled."""

    def __init__(self, inner: Any, backend: Backend) -> None:
        self.inner = inner
        self.backend = backend

    def __call__(self, function: Any) -> Any:
        return _guarded(self.inner(function), function, self.backend)

    def __getattr__(self, name: str) -> Any:
        if name in ("inner", "backend"):
            raise AttributeError(name)
        return getattr(self.inner, name)


def compile(
    model: Any = None,
    *,
    backend: Any = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
    unused_grad: str = "none",
    verify: str | None = None,
    **arguments: Any,
) -> Any:
    """Like :func:`torch.compile`, with the functions that ``model`` reaches mended before.

    Arguments and the type of the result are those of ``torch.compile``. Eager behaviour of the
    mended functions does not change; what was mended and what was left is told by
    :func:`graphmend.report`.

    ``unused_grad="zero"`` lets parameters that are used only in an arm that did not run have
    gradients of zeros, where eager code leaves None; branches with such arms are left as they are
    otherwise. Optimizers with momentum or weight decay treat the two differently.

    With ``verify`` calls are also made in the original, and compared: ``"first"`` the first two of
    each compiled variant, ``"sample"`` one in 64, ``"always"`` all (the environment variable
    ``GRAPHMEND_VERIFY`` is asked where it is not given). Where they differ, the caller gets what
    the original does, the mends are taken back, a warning says so, and a folder is written that
    ``graphmend replay`` runs.
    """
    if model is None:
        return functools.partial(
            compile,
            backend=backend,
            mode=mode,
            options=options,
            disable=disable,
            unused_grad=unused_grad,
            verify=verify,
            **arguments,
        )
    if unused_grad not in ("none", "zero"):
        raise ValueError(f"unused_grad must be 'none' or 'zero', not {unused_grad!r}")
    if disable or (options and options.get("use_aoti")):
        return hook.plain_compile()(
            model, backend=backend, mode=mode, options=options, disable=disable, **arguments
        )
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    dynamo.install()
    plain = watching.mode.plain
    if plain:
        arguments.pop("fullgraph", None)  # the first break would end the run
    result = mending.Mending(off=_PLAIN) if plain else mending.mend(model)
    shim, rest = _backend(backend, mode, options, arguments, result)
    shim.unused_grad = unused_grad
    if watching.mode.on:
        shim.watch = watching.Watch(model, result)
    compiled: Any = hook.plain_compile()(model, backend=shim, **rest, **arguments)
    how = verification.chosen(verify)
    if how is not None and not plain:
        shim.checker = verification.Verifier(
            how,
            result,
            exact=shim.__name__ == "eager",
            options={"backend": shim.__name__, "mode": mode, "options": options, **arguments},
        )
    compiled = _with_guards(compiled, model, shim)
    config = getattr(shim.inner, "get_compiler_config", None)
    if config is not None:
        compiled.get_compiler_config = config
    result.reads = shim.reads
    mending.remember(compiled, result)
    return compiled


_PLAIN = "it is compiled as it was written, to compare"


def _with_guards(compiled: Any, model: Any, shim: Backend) -> Any:
    if isinstance(compiled, torch.nn.Module):
        optimized: Any = compiled
        optimized.dynamo_ctx = _Context(optimized.dynamo_ctx, shim)
        optimized._initialize()
        return optimized
    return _guarded(compiled, model, shim)


def _backend(
    backend: Any,
    mode: str | None,
    options: dict[str, Any] | None,
    arguments: dict[str, Any],
    result: mending.Mending,
) -> tuple[Backend, dict[str, Any]]:
    """Our backend around the user's, and what is left of the arguments for ``torch.compile``."""
    if backend is None:
        find: Any = getattr(torch._dynamo.backends.registry, "get_default_backend", None)
        backend = find() if find is not None else "inductor"
    if backend == "inductor":
        rest: dict[str, Any] = {}
        options = dict(options or {})
        if "guard_filter_fn" in options:
            rest["options"] = {"guard_filter_fn": options.pop("guard_filter_fn")}
        named = [arguments["name"]] if arguments.get("name") is not None else []
        wrapper: Any = torch._TorchCompileInductorWrapper
        inner: Any = wrapper(mode or "default", options, arguments.get("dynamic"), *named)
        return Backend(inner, "inductor", result), rest
    inner = torch._dynamo.backends.registry.lookup_backend(backend)
    name = backend if isinstance(backend, str) else getattr(backend, "__name__", str(backend))
    return Backend(inner, name, result), {"mode": mode, "options": options}


def _cacheable() -> dict[str, str]:
    """What inductor may keep in its cache although it holds ordered operators."""
    from torch._inductor import config

    known: dict[str, str] = dict(config.unsafe_marked_cacheable_functions)
    meaning = f"graphmend {operators.MEANING}"
    for name in ("with_effects", "cond", "while_loop"):
        known[f"torch.ops.higher_order.{name}"] = meaning
    return known
