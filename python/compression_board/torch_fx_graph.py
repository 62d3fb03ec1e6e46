"""Converts graphs of torch.fx to TensorBoard graphs, in the same form as torch_graph converts
traced graphs.
"""

from __future__ import annotations

from typing import Any

from .torch_exported import op_name, scopes_of


def _shape(node: Any) -> list[int] | None:
    value = node.meta.get("val")
    if not hasattr(value, "shape"):
        return None
    return [int(size) if str(size).isdigit() else -1 for size in value.shape]


def graph_def(model: Any, root: str) -> Any:
    """Returns the GraphDef of a GraphModule whose nodes store the names of their modules. `root` is
    the name of the outer scope.
    """
    from ._protos import GraphDef, VersionDef

    definition = GraphDef(versions=VersionDef(producer=22))
    names: dict[Any, str] = {}
    taken: set[str] = set()

    def unique(name: str) -> str:
        candidate, count = name, 1
        while candidate in taken:
            candidate, count = f"{name}_{count}", count + 1
        taken.add(candidate)
        return candidate

    def scope(node: Any) -> str:
        parts = [root]
        for path, kind in scopes_of(node):
            if path:
                parts.append(f"{kind}[{path.rpartition('.')[2]}]")
        return "/".join(parts)

    for node in model.graph.nodes:
        if node.op == "placeholder":
            name, op = f"input/{node.name}", "IO Node"
        elif node.op == "output":
            name, op = f"output/{node.name}", "IO Node"
        elif node.op == "get_attr":
            owner = next((user for user in node.users if scopes_of(user)), node)
            name, op = f"{scope(owner)}/{str(node.target).rpartition('.')[2]}", "prim::GetAttr"
        elif node.op == "call_function":
            target = str(node.target) if hasattr(node.target, "_schema") else op_name(node.target)
            name, op = f"{scope(node)}/{op_name(node.target)}", target.replace(".", "::", 1)
        elif node.op == "call_module" and not node.users:
            continue  # Checks of the inputs.
        else:
            name, op = f"{scope(node)}/{str(node.target).rpartition('.')[2]}", node.op
        names[node] = unique(name)
        inputs = [names[other] for other in node.all_input_nodes if other in names]
        entry = definition.node.add(name=names[node], op=op, input=inputs)
        shape = _shape(node)
        if shape is not None:
            stored = entry.attr["_output_shapes"].list.shape.add()
            for size in shape:
                stored.dim.add(size=size)
    return definition
