"""Models of torch.export and pt2e: graphs of functions. Each node stores the name of the module
that it was created from.

These models do not contain the modules any more, so no hook can be registered. The functions in
this file find the names of the modules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Optional

# Matches the root of a module path: L['self'].conv, and L__self___conv in older versions, are the
# module conv.
_ROOT = re.compile(r"^L(\['self'\]|__self__)\.?")
_ROUNDING = ("quantize_per_tensor", "quantize_per_channel", "quantize_affine")
_BACK = ("dequantize_per_tensor", "dequantize_per_channel", "dequantize_affine")


def is_exported(model: Any) -> bool:
    """Returns True if `model` is a result of ExportedProgram.module(), prepare_pt2e or
    convert_pt2e.
    """
    import torch.fx

    if not isinstance(model, torch.fx.GraphModule):
        return False
    return any(
        node.op == "call_function"
        and hasattr(node.target, "_schema")
        and node.meta.get("nn_module_stack")
        for node in model.graph.nodes
    )


def op_name(target: Any) -> str:
    """Returns the name of a function: conv2d for aten.conv2d.default, relu for torch.relu_."""
    name = getattr(target, "__name__", str(target)).partition(".")[0]
    return name if name.startswith("__") else name.rstrip("_")


def scopes_of(node: Any) -> list[tuple[str, str]]:
    """Returns (path, type) of the modules around a node, the outermost first: [("", "Net"), ("fc",
    "Linear")].
    """
    scopes = []
    for path, kind in (node.meta.get("nn_module_stack") or {}).values():
        name = kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
        scopes.append((_ROOT.sub("", str(path)), name.rpartition(".")[2]))
    return scopes


def module_of(node: Any) -> str:
    """Returns the path of the module that a node comes from; "" for the model itself, or if it is
    unknown.
    """
    scopes = scopes_of(node)
    return scopes[-1][0] if scopes else ""


def rounds(node: Any) -> bool:
    """Returns True if the node turns real values into codes."""
    return node.op == "call_function" and op_name(node.target) in _ROUNDING


def rounds_back(node: Any) -> bool:
    """Returns True if the node turns codes into real values."""
    return node.op == "call_function" and op_name(node.target) in _BACK


def dequantized(node: Any) -> Optional[Any]:
    """Returns the node that has the values of `node` after quantization; None if the node has no
    quantizer.
    """
    for user in node.users:
        if rounds(user):
            return next((after for after in user.users if rounds_back(after)), None)
    return None


def attribute(model: Any, path: str) -> Any:
    """Returns the attribute of a module, given its path such as layer1.0.weight."""
    for part in path.split("."):
        model = getattr(model, part)
    return model


def interpreter(
    model: Any, before: Callable[[Any], None], after: Callable[[Any, Any], None]
) -> Any:
    """Runs a GraphModule. Calls `before` with each node before it runs, and `after` with each node
    and its result.
    """
    import torch.fx

    class Interpreter(torch.fx.Interpreter):
        def run_node(self, n: Any) -> Any:
            before(n)
            result = super().run_node(n)
            after(n, result)
            return result

    return Interpreter(model)
