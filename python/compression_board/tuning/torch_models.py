"""Finds the modules and parameters of a PyTorch model: float, quantized, eager, FX or scripted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Union

from ..torch_exported import is_exported

# Internal child modules of PyTorch. A module that has only such children counts as a leaf.
_BOOKS = frozenset(["_packed_params", "activation_post_process", "weight_fake_quant"])
# Packages whose modules count as one operator, even if they have children.
_OPERATIONS = (".quantized", ".qat")


def untyped_torch() -> Any:
    """Returns the torch module without type information, because its stubs lack functions that are
    used here.
    """
    import torch

    return torch


def is_script(model: Any) -> bool:
    """Returns True if `model` was scripted, traced or loaded by TorchScript."""
    return isinstance(model, untyped_torch().jit.ScriptModule)


def uncompiled(module: Any) -> Any:
    """Returns the module that torch.compile has wrapped, or the module itself."""
    return module._orig_mod if type(module).__name__ == "OptimizedModule" else module


def uncompiled_path(name: str) -> str:
    """Returns the path of a module or parameter without the wrappers of torch.compile."""
    return ".".join(part for part in name.split(".") if part != "_orig_mod")


def is_compiled(model: Any) -> bool:
    """Returns True if torch.compile or Module.compile() was applied to `model` or to a module in
    it.
    """
    return any(
        type(module).__name__ == "OptimizedModule" or getattr(module, "_compiled_call_impl", None) is not None
        for module in model.modules()
    )


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
    """Returns the modules that compute, by name, in the order of their definition.

    A model that is a single module is named after its type. Identity is left out: it computes
    nothing, and replaces modules that were fused.
    """
    import torch

    empty = (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ModuleDict, torch.nn.Identity)
    found: dict[str, Any] = {}
    seen: set[int] = set()

    def walk(module: Any, name: str) -> None:
        module = uncompiled(module)
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
    """Returns the modules of torch.nn.intrinsic, each with its numbered children."""
    groups = {}
    for name, module in model.named_modules():
        if name and _is_fused(module):
            groups[name] = [f"{name}.{child}" for child, _ in _children(module)]
    return {name: members for name, members in groups.items() if members}


# Sequences of module types that prepare_fx fuses.
_FUSABLE_FIRST = ("Conv1d", "Conv2d", "Conv3d", "Linear")
_FUSABLE_NEXT = ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d")


def fused_modules(model: Any) -> list[list[str]]:
    """Returns the groups of modules that torch.ao.quantization fuses: convolution, normalization,
    ReLU.

    For pre_eval_hook's `fused`, if the float model is logged unfused and the quantized one is
    created by prepare_fx or after fuse_modules: then conv1 of the quantized model corresponds to
    conv1, bn1 and relu1 of the float model. The model must be traceable by torch.fx.
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


def unpacked_parameters(packed: Any) -> Any:
    """Returns (weight, bias) of the packed parameters of a scripted module; None for other modules.
    """
    quantized = untyped_torch().ops.quantized
    for name in ("linear", "conv2d", "conv1d", "conv3d"):
        try:
            return getattr(quantized, f"{name}_unpack")(packed)
        except RuntimeError:  # The object belongs to another operator.
            continue
    return None


def _is_kept(key: str) -> bool:
    """Returns True if an entry of the state dict does not belong to one of PyTorch's observers."""
    return not {"activation_post_process", "weight_fake_quant"} & set(key.split("."))


def parameters_of(model: Any) -> Iterator[tuple[str, str, Any]]:
    """Yields (operator, parameter, tensor) for everything in the state dict, including packed
    weights.
    """
    import torch

    if is_exported(model):
        from .torch_exported_observers import exported_parameters

        yield from exported_parameters(model)
        return
    model = uncompiled(model)
    root = type(model).__name__ if not _children(model) else ""
    for key, value in model.state_dict().items():
        op, _, parameter = uncompiled_path(key).rpartition(".")
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
    for op, module in model.named_modules():  # TorchScript's state dict omits these.
        packed = getattr(module, "_packed_params", None)
        if isinstance(packed, torch.ScriptObject):
            for name, tensor in zip(("weight", "bias"), unpacked_parameters(packed) or ()):
                if tensor is not None:
                    yield op, name, tensor


def graph_of(model: Any, inputs: Any) -> Union[bytes, str]:
    """Returns the serialized GraphDef of `model`, or the reason why it cannot be traced."""
    import warnings

    from ..torch_graph import trace

    try:
        # Every quantized model gives a warning, because scales become constants.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            serialized: bytes = trace(model, inputs)[0].SerializeToString()
    except (RuntimeError, TypeError, ValueError) as error:
        return (str(error).strip().splitlines() or ["the tracer gave up"])[0]
    return serialized
