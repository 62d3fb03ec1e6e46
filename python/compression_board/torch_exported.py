"""Models of torch.export and pt2e: graphs of functions, whose nodes know the module they come from.

The modules themselves are gone, so no hook can be registered. These functions give the names back.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Optional

# L['self'].conv and L__self___conv, as older versions call the module conv.
_ROOT = re.compile(r"^L(\['self'\]|__self__)\.?")
_ROUNDING = ("quantize_per_tensor", "quantize_per_channel", "quantize_affine")
_BACK = ("dequantize_per_tensor", "dequantize_per_channel", "dequantize_affine")


def is_exported(model: Any) -> bool:
    """Whether `model` is what ExportedProgram.module(), prepare_pt2e or convert_pt2e return."""
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
    """aten.conv2d.default -> conv2d; torch.relu_ -> relu; functions by their names."""
    name = getattr(target, "__name__", str(target)).partition(".")[0]
    return name if name.startswith("__") else name.rstrip("_")


def scopes_of(node: Any) -> list[tuple[str, str]]:
    """(path, type) of the modules around a node, the outermost first: [("", "Net"), ("fc", "Linear")]."""
    scopes = []
    for path, kind in (node.meta.get("nn_module_stack") or {}).values():
        name = kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))
        scopes.append((_ROOT.sub("", str(path)), name.rpartition(".")[2]))
    return scopes


def module_of(node: Any) -> str:
    """The path of the module that a node comes from; "" for the model itself, or if unknown."""
    scopes = scopes_of(node)
    return scopes[-1][0] if scopes else ""


def rounds(node: Any) -> bool:
    """Whether the node turns real values into codes."""
    return node.op == "call_function" and op_name(node.target) in _ROUNDING


def rounds_back(node: Any) -> bool:
    """Whether the node turns codes into real values."""
    return node.op == "call_function" and op_name(node.target) in _BACK


def dequantized(node: Any) -> Optional[Any]:
    """The node that has the values of `node` after its quantizer; None if it has no quantizer."""
    for user in node.users:
        if rounds(user):
            return next((after for after in user.users if rounds_back(after)), None)
    return None


def attribute(model: Any, path: str) -> Any:
    """The attribute of a module by its path, such as layer1.0.weight."""
    for part in path.split("."):
        model = getattr(model, part)
    return model


def interpreter(
    model: Any, before: Callable[[Any], None], after: Callable[[Any, Any], None]
) -> Any:
    """Runs a GraphModule; `before` gets each node, `after` each node with its result."""
    import torch.fx

    class Interpreter(torch.fx.Interpreter):
        def run_node(self, n: Any) -> Any:
            before(n)
            result = super().run_node(n)
            after(n, result)
            return result

    return Interpreter(model)
