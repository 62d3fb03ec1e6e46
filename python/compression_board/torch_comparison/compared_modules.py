"""compare() for two PyTorch modules."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any, Optional

from .. import _engine
from ..tuning.torch_models import is_script, uncompiled
from . import onnx_file
from .graph_builder import GraphBuilder
from .recorder import record, tensors_in


def is_module(model: Any) -> bool:
    """Returns True if `model` is a PyTorch module and not a path."""
    return hasattr(model, "named_modules") and hasattr(model, "state_dict")


def _arguments(batch: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(batch, dict):
        return (), dict(batch)
    return (tuple(batch) if isinstance(batch, (list, tuple)) else (batch,)), {}


def _recorded(model: Any, batch: Any) -> GraphBuilder:
    args, kwargs = _arguments(batch)
    builder = GraphBuilder(uncompiled(model))
    for index, tensor in enumerate(tensors_in([args, kwargs])):
        builder.add_input("input" if index == 0 else f"input_{index}", tensor)
    builder.finish(record(model, args, kwargs, builder.add))
    if not builder.outputs:
        raise ValueError(f"the module {type(uncompiled(model)).__name__} returned no tensor of real numbers; expected at least one")
    return builder


def _batch_size(batch: Any) -> int:
    """Returns the number of samples in a batch: the first size if all inputs share it, or 1."""
    args, kwargs = _arguments(batch)
    sizes = {int(t.shape[0]) if t.dim() > 0 else 0 for t in tensors_in([args, kwargs])}
    if not sizes:
        raise ValueError(
            "the batch holds no tensor; expected a tensor, a tuple of inputs or a dict"
        )
    size = sizes.pop()
    return size if not sizes and size > 0 else 1


def _samples(values: dict[str, Any], count: int, position: int) -> list[tuple[str, Any]]:
    """Returns the values of one sample. If the first dimension of a value is the batch dimension,
    takes a slice; otherwise the whole value.
    """
    return [
        (
            name,
            array[position : position + 1] if array.ndim > 0 and array.shape[0] == count else array,
        )
        for name, array in values.items()
    ]


def compare_modules(
    baseline: Any, variant: Any, batch: Any, logdir: Optional[str]
) -> dict[str, Any]:
    """Runs both modules on `batch` and returns the comparison in the format of `compare --json`."""
    for model in (baseline, variant):
        if is_script(model):
            raise ValueError(
                "TorchScript models cannot be compared; pass the PyTorch modules from which they were made"
            )
    before, after = _recorded(baseline, batch), _recorded(variant, batch)
    count = _batch_size(batch)
    name = type(uncompiled(baseline)).__name__
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, f"{name}.onnx"), Path(folder, f"{name}_compressed.onnx")]
        for path, built in zip(paths, (before, after)):
            path.write_bytes(
                onnx_file.model(built.nodes, built.constants, built.inputs, built.outputs)
            )
        samples = [
            (_samples(before.values, count, i), _samples(after.values, count, i))
            for i in range(count)
        ]
        source = f"a batch of {count}, run by PyTorch"
        found = _engine.compare_computed(
            str(paths[0]), str(paths[1]), samples, source, logdir or ""
        )
    details: dict[str, Any] = json.loads(found)
    return details
