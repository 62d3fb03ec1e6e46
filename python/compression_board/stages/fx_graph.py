"""Converts FX graphs to the nodes of a stage: operators, bytes, and quantization."""

from __future__ import annotations

import re
from typing import Any, Optional

from .logger import StageNode


def modules_of(module: Any) -> dict[str, Any]:
    """Returns the modules by all of their names, because an observer may have several names."""
    return dict(module.named_modules(remove_duplicate=False))


def is_observer(module: Any) -> bool:
    """Returns True if the module is an observer of prepare_fx. Observers do not change values."""
    from torch.ao.quantization import FakeQuantizeBase, ObserverBase

    return isinstance(module, (ObserverBase, FakeQuantizeBase))


def _bits(dtype: Any) -> int:
    name = str(dtype)
    if "4x2" in name:
        return 4
    if "2x4" in name:
        return 2
    if "16" in name:
        return 16
    return 32 if "32" in name else 8


def _quantized_weight(module: Any) -> Optional[Any]:
    """Returns the weight of a module; a quantized module returns it from a method."""
    weight = getattr(module, "weight", None)
    if not callable(weight):
        return None
    value = weight()
    return value if getattr(value, "is_quantized", False) else None


def _weight_attributes(module: Any) -> dict[str, Any]:
    weight = _quantized_weight(module)
    if weight is not None:
        attributes = {"weights_n_bits": _bits(weight.dtype), "dtype": weight.dtype,
                      "qscheme": weight.qscheme()}  # fmt: skip
        if "per_channel" in str(weight.qscheme()):
            scales = weight.q_per_channel_scales()
            attributes.update(
                weights_per_channel_threshold=True,
                weights_channels_axis=weight.q_per_channel_axis(),
                scale_min=float(scales.min()),
                scale_max=float(scales.max()),
            )
        else:
            attributes.update(scale=float(weight.q_scale()), zero_point=int(weight.q_zero_point()))
        return attributes
    qconfig = getattr(module, "qconfig", None)
    if qconfig is None or not any(name.endswith("weight") for name, _ in module.named_parameters()):
        return {}
    observer = qconfig.weight()
    return {"enable_weights_quantization": True, "weights_n_bits": _bits(observer.dtype),
            "dtype": observer.dtype, "qscheme": observer.qscheme,
            "observer": type(observer).__name__}  # fmt: skip


def _observer_attributes(observer: Any, with_thresholds: bool) -> dict[str, Any]:
    attributes = {"enable_activation_quantization": True,
                  "activation_n_bits": _bits(observer.dtype), "dtype": observer.dtype,
                  "observer": type(observer).__name__}  # fmt: skip
    if with_thresholds:
        scale, zero_point = observer.calculate_qparams()
        attributes.update(scale=float(scale.flatten()[0]), zero_point=int(zero_point.flatten()[0]))
        for name in ("min_val", "max_val"):
            value = getattr(observer, name, None)
            if value is not None and value.numel() == 1:
                attributes[name] = float(value)
    return attributes


def _output_attributes(module: Any) -> dict[str, Any]:
    """Returns the output quantization of a quantized module."""
    if _quantized_weight(module) is None or not hasattr(module, "scale"):
        return {}
    return {"activation_n_bits": 8, "scale": float(module.scale),
            "zero_point": int(module.zero_point)}  # fmt: skip


def _op(node: Any, modules: dict[str, Any]) -> str:
    if node.op == "placeholder":
        return "Placeholder"
    if node.op == "call_module":
        return type(modules[str(node.target)]).__name__
    return getattr(node.target, "__name__", str(node.target))


def _settings(module: Any) -> dict[str, Any]:
    """Returns the settings of a module: kernel_size, stride, in_features, …"""
    names = getattr(type(module), "__constants__", ())
    return {name: getattr(module, name) for name in names if hasattr(module, name)}


def _parameters(module: Any) -> tuple[int, int, int]:
    """Returns (parameters stored as floats, parameters stored as codes, bits of a code)."""
    weight = _quantized_weight(module)
    if weight is None:
        return sum(p.numel() for p in module.parameters()), 0, 32
    bias = module.bias() if callable(getattr(module, "bias", None)) else None
    return 0 if bias is None else bias.numel(), weight.numel(), _bits(weight.dtype)


def observers_of(module: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the observer of each node's output, and the observed node of each observer."""
    modules = modules_of(module)
    observed: dict[str, Any] = {}
    stands_for: dict[str, str] = {}
    for node in module.graph.nodes:
        if node.op == "call_module" and is_observer(modules[str(node.target)]):
            source = node.args[0].name
            stands_for[node.name] = stands_for.get(source, source)
            observed[stands_for[node.name]] = modules[str(node.target)]
    return observed, stands_for


def rounded(value: Any, observer: Any) -> Optional[Any]:
    """Returns `value` after the quantizer that will replace this observer; None if there is none.
    """
    import torch

    scale, zero_point = observer.calculate_qparams()
    least, greatest = getattr(observer, "quant_min", None), getattr(observer, "quant_max", None)
    if least is None or greatest is None or scale.numel() != 1 or not value.is_floating_point():
        return None
    return torch.fake_quantize_per_tensor_affine(
        value, float(scale), int(zero_point), least, greatest
    )


def describe_graph(
    module: Any, shapes: dict[str, list[int]], with_thresholds: bool = False
) -> list[StageNode]:
    """Returns the layers of a GraphModule in order, without observers, constants and the output."""
    modules = modules_of(module)
    observed, stands_for = observers_of(module)
    nodes: list[StageNode] = []
    known: set[str] = set()
    for node in module.graph.nodes:
        if node.op in ("output", "get_attr") or node.name in stands_for:
            continue
        inputs = [stands_for.get(n.name, n.name) for n in node.all_input_nodes]
        leaf = modules.get(str(node.target)) if node.op == "call_module" else None
        float_count, code_count, bits = (0, 0, 32) if leaf is None else _parameters(leaf)
        activation = _observer_attributes(observed[node.name], with_thresholds) \
            if node.name in observed else _output_attributes(leaf)  # fmt: skip
        nodes.append(
            StageNode(
                node.name,
                _op(node, modules),
                inputs=[name for name in inputs if name in known],
                output_shapes=[shapes[node.name]] if node.name in shapes else [],
                attributes={} if leaf is None else _settings(leaf),
                weights={} if leaf is None else _weight_attributes(leaf),
                activation=activation,
                float_parameters=float_count,
                quantized_parameters=code_count,
                weight_bits=bits,
            )
        )
        known.add(node.name)
    return nodes


def pair_layers(float_model: Any, quantized: Any) -> dict[str, str]:
    """Returns the names of the layers of a converted model before conversion, by their current
    names.

    Modules keep their names. Functions get new names and are matched by order, if their number has
    not changed.
    """

    def layers_of(module: Any) -> dict[str, list[str]]:
        modules = modules_of(module)
        by_stem: dict[str, list[str]] = {}
        for node in module.graph.nodes:
            if node.op == "call_module" and is_observer(modules[str(node.target)]):
                continue
            stem = node.name
            if node.op in ("call_function", "call_method"):
                stem = "call " + re.sub(r"_\d+$", "", node.name)
            by_stem.setdefault(stem, []).append(node.name)
        return by_stem

    before, after = layers_of(float_model), layers_of(quantized)
    return {
        present: former
        for stem, names in after.items()
        if len(names) == len(before.get(stem, ()))
        for present, former in zip(names, before[stem])
    }


def bit_widths(module: Any) -> list[tuple[str, str, Optional[int], Optional[int]]]:
    """Returns (layer, op, bits of weights, bits of output) for each layer of a converted model."""
    layers = []
    for node in describe_graph(module, {}):
        weights, activation = node.weights, node.activation
        layers.append((node.name, node.op, weights.get("weights_n_bits"),
                       activation.get("activation_n_bits")))  # fmt: skip
    return layers
