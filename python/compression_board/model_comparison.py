"""Compares two files of one model, before and after compression, layer by layer.

rows = compare("fp32.onnx", "int8.onnx", data="images.npz")
rows[0]["name"], rows[0]["cause"], rows[0]["explanation"]    # the worst layer first
pandas.DataFrame(rows)
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union, cast

from . import _engine
from .types import PathLike


class LayerRow(TypedDict):
    """One layer of a ModelComparison: the fields of `compression-board compare --json` without the
    values of each channel. `output_` fields describe the local error of the layer, `accumulated_`
    fields include the errors of earlier layers."""

    name: str
    variant_name: str
    node: str
    op_type: str
    is_in_body: bool
    paired_by: str
    depth: int
    bits: int
    precision: str
    is_rescaled: bool
    folded: list[str]
    baseline_bytes: int
    variant_bytes: int
    bias_shift: Optional[float]
    pruned_share: Optional[float]
    weight_sqnr_db: Optional[float]
    weight_worst_channel: Optional[int]
    weight_worst_channel_sqnr_db: Optional[float]
    weight_cosine: Optional[float]
    weight_mse: Optional[float]
    weight_mean_shift_sigmas: Optional[float]
    weight_rmse_steps: Optional[float]
    weight_clip_rate: Optional[float]
    weight_used_codes: Optional[int]
    weight_divergence: Optional[float]
    output_sqnr_db: Optional[float]
    output_worst_channel: Optional[int]
    output_worst_channel_sqnr_db: Optional[float]
    output_cosine: Optional[float]
    output_mse: Optional[float]
    output_mean_shift_sigmas: Optional[float]
    output_rmse_steps: Optional[float]
    output_clip_rate: Optional[float]
    output_used_codes: Optional[int]
    output_divergence: Optional[float]
    accumulated_sqnr_db: Optional[float]
    input_sqnr_db: Optional[float]
    accumulated_worst_channel: Optional[int]
    accumulated_worst_channel_sqnr_db: Optional[float]
    accumulated_cosine: Optional[float]
    accumulated_mse: Optional[float]
    accumulated_mean_shift_sigmas: Optional[float]
    accumulated_rmse_steps: Optional[float]
    accumulated_clip_rate: Optional[float]
    accumulated_used_codes: Optional[int]
    accumulated_divergence: Optional[float]
    useful_output_db: Optional[float]
    saturation_pairs: Optional[int]
    saturated_pairs: Optional[int]
    saturation_products: Optional[int]
    saturated_products: Optional[int]
    level: str
    cause: str
    part: str
    severity_db: Optional[float]
    explanation: str
    fix: Optional[str]
    fix_sqnr_db: Optional[float]
    fix_worst_channel_sqnr_db: Optional[float]
    fix_size_bytes: Optional[int]
    fix_output: Optional[dict[str, Any]]
    fix_is_measured: Optional[bool]
    output_tensor: str
    output_axis: Optional[int]
    float_nodes: list[str]


class RestoredPart(TypedDict):
    """A part of a layer: its weights with the bias ("weight"), or its output ("output")."""

    layer: str
    part: str


class Verification(TypedDict):
    """A run of the compressed model with parts restored to the baseline's float values. `restored`
    is "nothing", "parts" (the listed ones), "red_layers", "red_and_amber_layers",
    "all_weights", "all_outputs", "everything" or "all_but_parts" (everything except the listed
    ones); `text` describes it in words. `sqnr_db` is the SQNR of the model's output (the mean
    if the model has several outputs; `layer_sqnr_db` lists them). It is None if the output is
    exact, or if the run failed; `why_not` then has the reason."""

    restored: str
    text: str
    parts: list[RestoredPart]
    sqnr_db: Optional[float]
    layer_sqnr_db: list[Optional[float]]
    why_not: str


# Columns of the nested objects of a layer, by object and entry: {object: {entry: column}}.
_METRICS = (
    "sqnr_db", "worst_channel", "worst_channel_sqnr_db", "cosine", "mse", "mean_shift_sigmas",
    "rmse_steps", "clip_rate", "used_codes", "divergence",
)  # fmt: skip
_NESTED = {
    "weight": {f"weight_{metric}": metric for metric in _METRICS},
    "local": {f"output_{metric}": metric for metric in _METRICS},
    "accumulated": {f"accumulated_{metric}": metric for metric in _METRICS},
    "saturation": {
        "saturation_pairs": "pairs",
        "saturated_pairs": "saturated",
        "saturation_products": "products",
        "saturated_products": "affected",
    },
    "fixes": {
        "fix": "action",
        "fix_sqnr_db": "sqnr_db",
        "fix_worst_channel_sqnr_db": "worst_channel_sqnr_db",
        "fix_size_bytes": "size_bytes",
        "fix_output": "output",
        "fix_is_measured": "is_measured",
    },
}


class ModelComparison(list[LayerRow]):
    """The result of `compare`: a list of rows, the worst layer first; pandas accepts it.

    Each row is a dict with `name`, `level`, `cause`, `explanation`, `weight_sqnr_db`,
    `accumulated_sqnr_db`, `baseline_bytes` and more; docs/compare.md explains the numbers. A value
    is None if it was not measured; an SQNR is also None if there is no error. `details` is the
    output of `compression-board compare --json`.
    """

    def __init__(self, details: dict[str, Any]) -> None:
        super().__init__(_row(layer) for layer in details["layers"])
        self.details = details

    @property
    def samples(self) -> int:
        """Returns the number of samples that were run."""
        return int(self.details["samples"])

    @property
    def why_not_run(self) -> str:
        """Returns the reason why no sample was run and only weights were compared. Empty if samples
        were run.
        """
        return str(self.details["why_not_run"])

    @property
    def is_generated(self) -> bool:
        """Returns True if the samples are random data: the outputs then do not represent real use.
        """
        return bool(self.details["is_generated"])

    @property
    def input_shapes(self) -> dict[str, list[int]]:
        """Returns the shapes of the first sample, by input; empty if no sample was run."""
        return dict(self.details["input_shapes"])

    @property
    def lint(self) -> list[dict[str, str]]:
        """Returns problems of the compressed graph: `rule`, `node` and `explanation`."""
        return list(self.details["lint"])

    @property
    def byte_shares(self) -> list[dict[str, Any]]:
        """Returns sizes as `what`, `baseline_bytes` and `variant_bytes`, the largest first."""
        return list(self.details["bytes"])

    @property
    def verified(self) -> list[Verification]:
        """Returns the SQNR of the model's output with restored parts, if `verify` was given:
        without restored parts, with one restored part each, with several, and with all. If the list
        is empty, `details["why_not_verified"]` has the reason.
        """
        return list(self.details["verified"])

    @property
    def keep_float(self) -> dict[str, str]:
        """Returns the configurations that keep the red layers in FP32, by quantizer."""
        return dict(self.details["keep_float"])

    @property
    def output_overrides(self) -> dict[str, str]:
        """Returns the configurations by quantizer that give the outputs of red layers another range
        or more bits.
        """
        return dict(self.details["output_overrides"])


def _row(layer: dict[str, Any]) -> LayerRow:
    row: dict[str, Any] = {}
    for key, value in layer.items():
        if key in _NESTED:
            if isinstance(value, list):  # Includes only the best fix.
                value = value[0] if value else None
            row.update({column: (value or {}).get(entry) for column, entry in _NESTED[key].items()})
        else:
            row[key] = value
    return cast(LayerRow, row)


def compare(
    baseline: Union[PathLike, Any],
    variant: Union[PathLike, Any],
    batch: Any = None,
    *,
    data: Optional[PathLike] = None,
    shapes: Optional[Mapping[str, Sequence[int]]] = None,
    samples: Optional[int] = None,
    logdir: Optional[PathLike] = None,
    verify: int = 0,
) -> ModelComparison:
    """Compares two model files, or two PyTorch modules, layer by layer, and finds the causes of damage.

    For modules, `batch` is their input: a tensor, a tuple of inputs or a dict of keyword arguments.
    Both modules run on it once, in evaluation mode, and are unchanged afterwards. Layers have the
    names of the modules. The variant may be a module of torchao, pt2e, torch.ao (eager or FX) or
    torch.compile. All outputs of layers are in memory at once. For modules, only `logdir` of the
    other arguments is allowed.

    Weights are compared for all file formats. For ONNX files, outputs are compared too: both models
    run on up to `samples` samples (20) from `data` (.npz, .npy or a folder of PNG files), or on
    random samples, and then `is_generated` is True. If ONNX Runtime is missing or cannot run the
    models, only weights are compared and `why_not_run` has the reason; but if `samples`, `data`,
    `shapes` or `verify` was given, this is an error. With `samples=0`, only weights are compared.
    `shapes` are the shapes of random inputs for sizes that the files leave open: {"x": (1, 3, 48,
    320)}. With `logdir`, the results are also logged there, for the board and TensorBoard,
    including those of `verify`.

    `verify` is the number of the most damaged parts that are restored to float, each in a separate
    run, to measure the SQNR of the model's output: see `verified`. This takes up to `verify` + 17
    more runs over the samples.

    Raises FileNotFoundError if a file, or a required ONNX Runtime, is missing; ValueError if the
    files are not two variants of one model, or do not allow a shape; OSError if a file is damaged.
    """
    from .torch_comparison import compare_modules, is_module

    if is_module(baseline) and is_module(variant):
        if batch is None:
            raise ValueError("two PyTorch modules are compared by their outputs; pass batch, a batch of inputs")
        if data is not None or shapes or samples is not None or verify:
            raise ValueError("data, shapes, samples and verify work with model files only; for PyTorch modules, pass only batch")
        folder = None if logdir is None else os.fspath(logdir)
        return ModelComparison(compare_modules(baseline, variant, batch, folder))
    if is_module(baseline) or is_module(variant) or batch is not None:
        raise ValueError("compare() expects two model files, or two PyTorch modules and a batch of inputs")
    if samples is not None and samples < 0:
        raise ValueError(f"samples is {samples}; give 0 (only weights are compared) or a positive number")
    if verify < 0:
        raise ValueError(f"verify is {verify}; give 0 (no part is restored) or a positive number")
    found = _engine.compare_models(
        os.fspath(baseline),
        os.fspath(variant),
        "" if data is None else os.fspath(data),
        {name: [int(size) for size in shape] for name, shape in (shapes or {}).items()},
        samples,
        "" if logdir is None else os.fspath(logdir),
        verify,
    )
    return ModelComparison(json.loads(found))
