"""The modules and parameters of a PyTorch model: float, quantized, eager, FX or scripted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Union

# Internal children of PyTorch modules; the module around them is still a leaf.
_BOOKS = frozenset(["_packed_params", "activation_post_process", "weight_fake_quant"])
# Packages whose modules are one operation, even if they have children.
_OPERATIONS = (".quantized", ".qat")


def untyped_torch() -> Any:
    """The torch module without types: its stubs lack functions that are used here."""
    import torch

    return torch


def is_script(model: Any) -> bool:
    """Whether `model` was scripted, traced or loaded by TorchScript."""
    return isinstance(model, untyped_torch().jit.ScriptModule)


def _is_operation(module: Any) -> bool:
    where = type(module).__module__
    return where.startswith("torch.") and any(part in where for part in _OPERATIONS)


def _children(module: Any) -> list[tuple[str, Any]]:
    if _is_operation(module):
        return []
    return [(name, child) for name, child in module.named_children() if name not in _BOOKS]


def _is_fused(module: Any) -> bool:
    where = type(module).__module__
    return ".intrinsic.modules" in where and where.startswith("torch.")


def leaves(model: Any) -> dict[str, Any]:
    """The modules that compute, by name, in the order of their definition.

    A model that is one module has the name of its type. Identity is left out: it computes nothing,
    and is what fusing leaves behind.
    """
    import torch

    empty = (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.Identity)
    found: dict[str, Any] = {}
    seen: set[int] = set()

    def walk(module: Any, name: str) -> None:
        if id(module) in seen:
            return
        seen.add(id(module))
        children = _children(module)
        for child_name, child in children:
            walk(child, f"{name}.{child_name}" if name else child_name)
        if not children and not isinstance(module, empty):
            found[name or type(module).__name__] = module

    walk(model, "")
    return found


def fused_in(model: Any) -> dict[str, list[str]]:
    """The modules of torch.nn.intrinsic, each with its numbered children."""
    groups = {}
    for name, module in model.named_modules():
        if name and _is_fused(module):
            groups[name] = [f"{name}.{child}" for child, _ in _children(module)]
    return {name: members for name, members in groups.items() if members}


# Sequences of module types that prepare_fx fuses.
_FUSABLE_FIRST = ("Conv1d", "Conv2d", "Conv3d", "Linear")
_FUSABLE_NEXT = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")


def fused_modules(model: Any) -> list[list[str]]:
    """The groups of modules that torch.ao.quantization fuses: convolution, normalization, ReLU.

    For pre_eval_hook's `fused`, when the float model is logged as it is and the quantized one is
    made by prepare_fx or after fuse_modules: then conv1 of the one is conv1, bn1 and relu1 of the
    other. The model must be traceable by torch.fx.
    """
    import torch.fx  # noqa: F401, PyTorch imports it only when asked.

    graph = untyped_torch().fx.symbolic_trace(model)
    modules = dict(graph.named_modules())

    def kind(node: Any) -> str:
        return type(modules[node.target]).__name__ if node.op == "call_module" else ""

    groups = []
    for node in graph.graph.nodes:
        if kind(node) not in _FUSABLE_FIRST:
            continue
        chain, last, wanted = [node.target], node, [_FUSABLE_NEXT, ("ReLU",)]
        while wanted and len(last.users) == 1:
            following = next(iter(last.users))
            while wanted and kind(following) not in wanted[0]:
                wanted.pop(0)
            if wanted:
                wanted.pop(0)
                chain.append(following.target)
                last = following
        if len(chain) > 1:
            groups.append([str(name) for name in chain])
    return groups


def _unpacked(packed: Any) -> Any:
    """(weight, bias) of the packed parameters of a scripted module; None if they are no such."""
    quantized = untyped_torch().ops.quantized
    for name in ("linear", "conv2d", "conv1d", "conv3d"):
        try:
            return getattr(quantized, f"{name}_unpack")(packed)
        except RuntimeError:  # Belongs to another operation.
            continue
    return None


def _is_kept(key: str) -> bool:
    """Whether an entry of the state dict is not the state of one of PyTorch's observers."""
    return not {"activation_post_process", "weight_fake_quant"} & set(key.split("."))


def parameters_of(model: Any) -> Iterator[tuple[str, str, Any]]:
    """(operation, parameter, tensor) of everything in the state dict, packed weights included."""
    import torch

    root = type(model).__name__ if not _children(model) else ""
    for key, value in model.state_dict().items():
        op, _, parameter = key.rpartition(".")
        if not _is_kept(key):
            continue
        if isinstance(value, torch.Tensor):
            yield op or root, parameter, value
        elif isinstance(value, tuple) and parameter == "_packed_params":
            for name, tensor in zip(("weight", "bias"), value):
                if isinstance(tensor, torch.Tensor):
                    yield op, name, tensor
    if not is_script(model):
        return
    for op, module in model.named_modules():  # TorchScript's state dict leaves them out.
        packed = getattr(module, "_packed_params", None)
        if isinstance(packed, torch.ScriptObject):
            for name, tensor in zip(("weight", "bias"), _unpacked(packed) or ()):
                if tensor is not None:
                    yield op, name, tensor


def graph_of(model: Any, inputs: Any) -> Union[bytes, str]:
    """The serialized GraphDef of `model`, or why the tracer could not make one."""
    import warnings

    from ..torch_graph import trace

    try:
        with warnings.catch_warnings():  # A warning for every quantized model: scales become constants.
            warnings.simplefilter("ignore")
            serialized: bytes = trace(model, inputs)[0].SerializeToString()
    except (RuntimeError, TypeError, ValueError) as error:
        return (str(error).strip().splitlines() or ["the tracer gave up"])[0]
    return serialized
