"""The hook into Dynamo: the only part of graphmend that uses Dynamo's private names.

Dynamo asks its rule map which variable class stands for a function. :func:`install` adds the
functions of :mod:`graphmend.runtime` to that map, so that calls of them are answered by
:mod:`graphmend.dynamo.handlers`; and :mod:`graphmend.dynamo.evidence` listens while our callables
are traced. Nothing else changes for any other code.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import torch

TESTED = ("2.13",)
_NAMES = (
    "active",
    "is_tensor",
    "rest_and",
    "rest_or",
    "and_",
    "or_",
    "not_",
    "run",
    "select",
    "update",
    "cond",
    "tail",
    "may_try",
    "entries",
    "entry",
)
_NEEDED = {
    "torch._dynamo.trace_rules": ("torch_name_rule_map", "get_torch_obj_rule_map"),
    "torch._dynamo.variables.torch": ("BaseTorchVariable",),
    "torch._dynamo.variables.misc": ("LoggingLoggerVariable",),
    "torch._dynamo.variables.user_defined": ("NamedTupleVariable", "UserDefinedObjectVariable"),
    "torch._dynamo.variables.tensor": ("TensorVariable", "SymNodeVariable"),
    "torch._dynamo.eval_frame": ("innermost_backend", "reset_code", "OptimizedModule", "_stance"),
    "torch._dynamo.variables.higher_order_ops": ("dynamo_enable_grad", "make_attr"),
    "torch._dynamo.symbolic_convert": (
        "InliningInstructionTranslator",
        "InstructionTranslatorBase",
    ),
    "torch._dynamo.exc": ("ObservedException", "TorchDynamoException", "Unsupported", "UserError"),
    "torch._dynamo.output_graph": ("OutputGraph",),
    "torch._dynamo.variables": ("NestedUserFunctionVariable", "UserFunctionVariable"),
    "torch._dynamo.variables.functions": (
        "BaseUserFunctionVariable",
        "WrapperUserFunctionVariable",
    ),
    "torch._dynamo.variables.builtin": ("BuiltinVariable",),
    "torch._dynamo.bytecode_analysis": ("livevars_analysis",),
    "torch._dynamo.convert_frame": ("input_codes", "ConvertFrameAssert"),
    "torch._dynamo.utils": ("_get_fake_value_impl",),
    "torch._dynamo.variables.builder": ("_wrap_fx_proxy", "VariableBuilder"),
    "torch._dynamo.variables.object_protocol": ("generic_richcompare_bool",),
    "torch._dynamo.guards": ("GuardBuilder", "install_guard"),
    "torch._higher_order_ops.effects": ("_EffectType", "_register_effectful_op"),
    "torch._C._dynamo.eval_frame": ("set_eval_frame",),
    "torch._C": ("_ForceDispatchKeyGuard", "_dispatch_tls_local_exclude_set"),
}
_installed = False


class UnsupportedTorch(RuntimeError):  # noqa: N818 - a state, reported as such
    """This version of torch can't be mended for."""


def problem() -> str:
    """Why this torch can't be used; empty when it can."""
    version = torch.__version__
    if version.startswith(TESTED):
        return ""
    missing = []
    for module, names in _NEEDED.items():
        try:
            found: Any = import_module(module)
        except ImportError:
            missing.append(module)
            continue
        missing += [f"{module}.{name}" for name in names if not hasattr(found, name)]
    if missing:
        return f"graphmend does not support torch {version}: it lacks {', '.join(missing)}"
    return ""


def install() -> None:
    """Let Dynamo know the functions of the run time; done once, but for what others undid since."""
    global _installed
    if not _installed:
        reason = problem()
        if reason:
            raise UnsupportedTorch(reason)
        _add_rules()
        _installed = True
    from graphmend.dynamo import evidence

    evidence.install()


def _add_rules() -> None:
    from torch._dynamo import trace_rules

    from graphmend import operators, runtime
    from graphmend.dynamo import capture, folding, kept
    from graphmend.dynamo.handlers import RuntimeVariable

    operators.define()
    _let_checkpoints_hold_conditionals()
    rules: Any = trace_rules.torch_name_rule_map
    rules.append({f"graphmend.runtime.{name}": RuntimeVariable for name in _NAMES})
    ready: Any = trace_rules.get_torch_obj_rule_map
    if ready.cache_info().currsize:
        ready().update({getattr(runtime, name): RuntimeVariable for name in _NAMES})
    capture.install()
    kept.install()
    folding.install()


def _let_checkpoints_hold_conditionals() -> None:
    """Where a backend runs a graph as it is, checkpoints run its operators in modes of theirs."""
    from torch._higher_order_ops.utils import redirect_to_mode
    from torch.utils import checkpoint

    conditional: Any = torch.ops.higher_order.cond
    for name in ("_CachingTorchDispatchMode", "_CachedTorchDispatchMode"):
        mode = getattr(checkpoint, name)
        if mode not in conditional.python_key_table:
            redirect_to_mode(conditional, mode)
