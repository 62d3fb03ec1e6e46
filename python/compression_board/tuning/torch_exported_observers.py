"""Observes models of torch.export and pt2e. These models have no modules that could call hooks."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..torch_exported import attribute, dequantized, interpreter, module_of, op_name, rounds_back

# Names of parameters by the position of the argument, for weights that pt2e names _frozen_param0.
_PARAMETERS = {1: "weight", 2: "bias"}


def _last_nodes(model: Any) -> dict[str, Any]:
    """Returns the last node of each module that computes, by the path of the module."""
    last: dict[str, Any] = {}
    for node in model.graph.nodes:
        path = module_of(node)
        if path and node.op == "call_function":
            last[path] = node
    return {
        path: node
        for path, node in last.items()
        if not any(other.startswith(f"{path}.") for other in last)
    }


class _Observed:
    """Replaces an exported model during its evaluation. Has all attributes of the exported model.
    """

    def __init__(self, model: Any, see: Any) -> None:
        self._model = model
        self._run = interpreter(model, lambda node: None, see)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            names = [n.name for n in self._model.graph.nodes if n.op == "placeholder"]
            missing = [name for name in names[len(args) :] if name not in kwargs]
            if missing:
                raise TypeError(f"the call of the model has no value for the input {', '.join(missing)}")
            args = (*args, *(kwargs[name] for name in names[len(args) :]))
        return self._run.run(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


class ExportedObservers:
    """Observes like ModuleObservers. The model to evaluate is another object that runs the same
    graph.
    """

    def __init__(self, model: Any, white_list: Any, record: Any, chosen: Any) -> None:
        self.original = model
        self.fused: dict[str, list[str]] = {}
        self._record = record
        self._lock = threading.Lock()
        self._installed = False
        # Returns the values that later modules receive: the values behind the quantizer, if there
        # is one.
        self._names: dict[Any, tuple[str, str]] = {}
        for path, node in chosen(_last_nodes(model), white_list).items():
            after = dequantized(node)
            self._names[after or node] = (path, "" if after is None else "int8")
        if not self._names:
            raise ValueError(
                "nothing can be observed: the exported model has no modules, or white_list names none of them"
            )
        self.model = _Observed(model, self._see)

    def _see(self, node: Any, value: Any) -> None:
        if not self._installed or node not in self._names or not hasattr(value, "is_complex"):
            return
        op, precision = self._names[node]
        if not value.is_complex():
            with self._lock:
                self._record(op, value, precision)

    def install(self) -> None:
        self._installed = True

    def observes(self, model: Any) -> bool:
        return model is self.model or model is self.original

    def remove(self) -> None:
        self._installed = False


def _owner(node: Any, depth: int = 4) -> tuple[str, str]:
    """Returns (module, parameter) of a constant: the module of the function that uses it, directly
    or through other functions.
    """
    for user in node.users:
        path = module_of(user)
        if path:
            name = _PARAMETERS.get(next((i for i, arg in enumerate(user.args) if arg is node), -1))
            return path, name or "weight"
        if depth > 0 and user.op == "call_function":
            found = _owner(user, depth - 1)
            if found[0]:
                return found
    return "", ""


def exported_parameters(model: Any) -> Iterator[tuple[str, str, Any]]:
    """Yields (module, parameter, values) for each constant that the graph uses.

    Constants that are only in the state dict are left out, because pt2e stores the weights from
    before quantization there. Quantized constants are yielded as codes and scales, in the form that
    the engine expects.
    """
    seen: set[str] = set()
    for node in model.graph.nodes:
        if node.op != "get_attr" or node.target in seen:
            continue
        seen.add(node.target)
        value = attribute(model, node.target)
        codes = next(
            (user for user in node.users if rounds_back(user) and user.args[0] is node), None
        )
        if codes is not None:
            op, parameter = _owner(codes)
            quantized = codes_of(model, codes, value)
            if quantized is not None:
                yield op, parameter, quantized
            continue
        if any(rounds_back(user) for user in node.users) or not hasattr(value, "is_complex"):
            continue  # Scales and zero points.
        op, _, parameter = str(node.target).rpartition(".")
        if not op and parameter.startswith("_"):
            op, parameter = _owner(node)
        if op or parameter:
            yield op, parameter, value.detach()


def codes_of(model: Any, node: Any, codes: Any) -> Any:
    """Returns (codes, None, scales, zero points, axis) of a constant that `node` dequantizes."""

    def value(argument: Any) -> Any:
        if hasattr(argument, "op"):
            argument = attribute(model, argument.target) if argument.op == "get_attr" else None
        return argument

    scales, zeros = value(node.args[1]), value(node.args[2])
    name = op_name(node.target)
    if scales is None or name == "dequantize_affine":
        return None
    axis = int(node.args[3]) if name == "dequantize_per_channel" else None
    scale_list = np.atleast_1d(np.asarray(scales, dtype=np.float64)).tolist()
    zero_list = (
        [0] * len(scale_list) if zeros is None else np.atleast_1d(np.asarray(zeros)).tolist()
    )
    array = np.ascontiguousarray(codes.detach().cpu().numpy())
    return (array, None, scale_list, [int(zero) for zero in zero_list], axis)
