"""Observes TorchScript models. Their submodules do not call hooks.

The graph of `forward` is inlined, the last tensor that each leaf computes becomes an additional
output, and the evaluated model is a function with the inlined graph.
"""

from __future__ import annotations

import re
import threading
from typing import Any, Callable

from .torch_models import leaves, untyped_torch

# Matches the list of modules from which a graph node was inlined, the outermost first:
# conv1(Conv2d).SELF(Conv2d).
_PLACE = re.compile(r"([^.()]+)\([^()]*\)")
_NOWHERE = frozenset(["SELF", "UNKNOWN_INSTANCE", "TOP"])


def _module_of(node: Any) -> str:
    names: list[str] = []
    for name in _PLACE.findall(node.getModuleHierarchy()):
        if name in _NOWHERE:
            break
        names.append(name)
    return ".".join(names)


def _with_outputs(script: Any, wanted: Any) -> tuple[Any, list[str], int]:
    """Returns a function of self and the inputs that runs the model. Also returns the observed
    leaves, and the number of outputs of the original model.
    """
    jit = untyped_torch()._C
    graph = script._c._get_method("forward").graph.copy()
    jit._jit_pass_inline(graph)
    last: dict[str, Any] = {}
    changes_in_place = False
    for node in graph.nodes():
        changes_in_place |= node.kind().endswith("_")
        name = _module_of(node)
        if name not in wanted:
            continue
        for value in node.outputs():
            if value.type().isSubtypeOf(jit.TensorType.get()):
                last[name] = value
    own_outputs = len(list(graph.outputs()))
    if changes_in_place:  # ReLU(inplace=True) would overwrite the output of the previous layer.
        for name, value in last.items():
            last[name] = _cloned(graph, value)
    for value in last.values():
        graph.registerOutput(value)
    graph.makeMultiOutputIntoTuple()
    return jit._create_function_from_graph("observed", graph), list(last), own_outputs


def _cloned(graph: Any, value: Any) -> Any:
    none = graph.create("prim::Constant")
    none.insertAfter(value.node())
    none.output().setType(untyped_torch()._C.NoneType.get())
    clone = graph.create("aten::clone", [value, none.output()])
    clone.insertAfter(none)
    return clone.output()


class _Observed:
    """Replaces a scripted model during its evaluation. Has all attributes of the scripted model."""

    def __init__(
        self, script: Any, function: Any, outputs: int, see: Callable[[Any], None]
    ) -> None:
        self._script, self._function, self._outputs, self._see = script, function, outputs, see

    def __call__(self, *inputs: Any) -> Any:
        results = self._function(self._script._c, *inputs)
        self._see(results[self._outputs :])
        own = results[: self._outputs]
        return own[0] if self._outputs == 1 else own

    def __getattr__(self, name: str) -> Any:
        return getattr(self._script, name)


class ScriptObservers:
    """Observes like ModuleObservers, but the model to evaluate is another object."""

    def __init__(self, script: Any, white_list: Any, record: Any, chosen: Any) -> None:
        self.original = script
        self.fused: dict[str, list[str]] = {}
        self._record = record
        self._lock = threading.Lock()
        self._installed = False
        wanted = chosen(leaves(script), white_list)
        function, self._names, outputs = _with_outputs(script, wanted)
        if not self._names:
            raise ValueError(
                f"nothing can be observed: the model {script.original_name} has no leaf modules, calls them only in branches of its code, or white_list names none of them"
            )
        self.model = _Observed(script, function, outputs, self._see)

    def _see(self, values: Any) -> None:
        if not self._installed:
            return
        with self._lock:
            for name, value in zip(self._names, values):
                if not value.is_complex():
                    self._record(name, value)

    def install(self) -> None:
        self._installed = True

    def observes(self, model: Any) -> bool:
        return model is self.model or model is self.original

    def remove(self) -> None:
        self._installed = False
