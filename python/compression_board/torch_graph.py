"""Converts PyTorch modules to TensorBoard graphs by tracing, with name scopes and shapes of edges.
"""

from __future__ import annotations

import re
from typing import Any

_MODULE = re.compile(r"__module\.?")


def _shape(value: Any) -> list[int] | None:
    try:
        sizes = value.type().sizes()
    except (RuntimeError, AttributeError):
        return None
    return None if sizes is None else [-1 if size is None else int(size) for size in sizes]


class _Namer:
    """Returns a unique, readable name for every value of a graph."""

    def __init__(self, model: Any) -> None:
        self._root = type(model).__name__
        self._types = {name: type(module).__name__ for name, module in model.named_modules()}
        self._taken: set[str] = set()

    def scope(self, node: Any) -> str:
        """Converts __module.features.0 to AlexNet/Sequential[features]/Conv2d[0]."""
        return self.scope_of(_MODULE.sub("", node.scopeName().rpartition("/")[2]))

    def scope_of(self, path: str) -> str:
        """Returns the scope of a module, given its path such as features.0."""
        parts, before = [self._root], ""
        for part in path.split(".") if path else []:
            before = f"{before}.{part}" if before else part
            parts.append(f"{self._types.get(before, 'Module')}[{part}]")
        return "/".join(parts)

    def unique(self, name: str) -> str:
        candidate, count = name, 1
        while candidate in self._taken:
            candidate, count = f"{name}_{count}", count + 1
        self._taken.add(candidate)
        return candidate


def _attributes(node: Any) -> str:
    values = ((name, getattr(node, node.kindOf(name))(name)) for name in node.attributeNames())
    return "{" + ", ".join(f"{name}: {value!r}" for name, value in values) + "}"


def graph_def(model: Any, graph: Any) -> Any:
    """Returns the GraphDef of a traced `graph` of `model`."""
    from ._protos import GraphDef, VersionDef

    definition = GraphDef(versions=VersionDef(producer=22))
    namer = _Namer(model)
    names: dict[str, str] = {}
    attribute_paths: dict[str, str] = {}

    tensors = [*model.named_parameters(), *model.named_buffers()]
    shapes = {name: [int(size) for size in tensor.shape] for name, tensor in tensors}

    def add(value: Any, name: str, op: str, inputs: list[str], text: str = "") -> None:
        entry = definition.node.add(name=name, op=op, input=inputs)
        if text:
            entry.attr["attr"].s = text.encode()
        shape = _shape(value)
        if shape is None:  # The tracer gives no shapes for parameters.
            shape = shapes.get(attribute_paths.get(value.debugName(), ""))
        if shape is not None:
            stored = entry.attr["_output_shapes"].list.shape.add()
            for size in shape:
                stored.dim.add(size=size)

    for index, value in enumerate(graph.inputs()):
        if index == 0 and str(value.type()).startswith("__torch__"):
            attribute_paths[value.debugName()] = ""
            continue
        name = names[value.debugName()] = namer.unique(f"input/{value.debugName()}")
        add(value, name, "IO Node", [])
    for node in graph.nodes():
        if node.kind() == "prim::GetAttr":
            owner = attribute_paths.get(next(iter(node.inputs())).debugName(), "")
            path = f"{owner}.{node.s('name')}" if owner else node.s("name")
            value = next(iter(node.outputs()))
            attribute_paths[value.debugName()] = path
            if str(value.type()).startswith("__torch__"):
                continue  # An access to a module on the way to a parameter.
        op = node.kind()
        scope, short = namer.scope(node), op.rpartition("::")[2].lower()
        if op == "prim::GetAttr":  # A parameter such as weight or bias is placed at its module.
            scope, short = namer.scope_of(owner), node.s("name")
        inputs = [names[v.debugName()] for v in node.inputs() if v.debugName() in names]
        base = namer.unique(f"{scope}/{short}")
        for index, value in enumerate(node.outputs()):
            # Makes every output a separate node, because TensorBoard draws edges between nodes.
            name = names[value.debugName()] = (
                base if index == 0 else namer.unique(f"{base}.{index}")
            )
            add(value, name, op, inputs, _attributes(node))
    for value in graph.outputs():
        inputs = [names[value.debugName()]] if value.debugName() in names else []
        add(value, namer.unique(f"output/{value.debugName()}"), "IO Node", inputs)
    return definition


def _exported(model: Any, inputs: Any) -> Any:
    """Returns the GraphModule of torch.export; None if this version of PyTorch has no export, or if
    the export fails.
    """
    import torch

    export = getattr(getattr(torch, "export", None), "export", None)
    if export is None:
        return None
    arguments = tuple(inputs) if isinstance(inputs, (list, tuple)) else (inputs,)
    try:
        return export(model, arguments, strict=False).module()
    except Exception:  # noqa: BLE001, it has errors of many kinds; the tracer's error is raised instead.
        return None


def trace(model: Any, inputs: Any, verbose: bool = False, strict: bool = True) -> tuple[Any, Any]:
    """Returns (GraphDef, RunMetadata) of `model`; the tracer raises RuntimeError if `inputs` do not
    fit.
    """
    import torch

    from ._protos import DeviceStepStats, RunMetadata, StepStats
    from .torch_exported import is_exported
    from .torch_fx_graph import graph_def as fx_graph_def
    from .tuning.torch_models import uncompiled

    model = uncompiled(model)
    stats = StepStats(dev_stats=[DeviceStepStats(device="/device:CPU:0")])
    if is_exported(model):
        if verbose:
            print(model.graph)
        return fx_graph_def(model, "Model"), RunMetadata(step_stats=stats)
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            jit: Any = torch.jit  # Has no type annotations.
            traced = jit.trace(model, inputs, strict=strict, check_trace=False)
    except RuntimeError:
        # Uses torch.export, because models with torchao's tensors cannot be traced.
        exported = _exported(model, inputs)
        if exported is None:
            raise
        if verbose:
            print(exported.graph)
        return fx_graph_def(exported, type(model).__name__), RunMetadata(step_stats=stats)
    finally:
        model.train(training)
    graph = traced.graph if not hasattr(traced, "inlined_graph") else traced.inlined_graph
    if verbose:
        print(graph)
    return graph_def(model, graph), RunMetadata(step_stats=stats)
