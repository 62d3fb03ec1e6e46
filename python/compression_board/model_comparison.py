"""Two files of one model, before and after compression: which layer was hurt, and why.

rows = compare("fp32.onnx", "int8.onnx", data="images.npz")
rows[0]["name"], rows[0]["cause"], rows[0]["explanation"]    # the worst layer first
pandas.DataFrame(rows)
"""

from __future__ import annotations

import json
import os
from typing import Any, Optional, TypedDict

from . import _engine
from .types import PathLike


class LayerRow(TypedDict):
    """One layer of a ModelComparison."""

    name: str
    variant_name: str
    op_type: str
    paired_by: str
    depth: int
    bits: int
    level: str
    cause: str
    part: str
    explanation: str
    severity_db: Optional[float]
    weight_sqnr_db: Optional[float]
    weight_worst_channel: Optional[int]
    weight_worst_channel_sqnr_db: Optional[float]
    weight_cosine: Optional[float]
    weight_mse: Optional[float]
    weight_rmse_steps: Optional[float]
    weight_clip_rate: Optional[float]
    weight_used_codes: Optional[int]
    weight_divergence: Optional[float]
    bias_shift: Optional[float]
    is_rescaled: bool
    output_sqnr_db: Optional[float]
    output_cosine: Optional[float]
    output_clip_rate: Optional[float]
    accumulated_sqnr_db: Optional[float]
    accumulated_cosine: Optional[float]
    accumulated_mse: Optional[float]
    saturated_pairs: Optional[int]
    baseline_bytes: int
    variant_bytes: int
    fix: Optional[str]
    fix_sqnr_db: Optional[float]


class ModelComparison(list[LayerRow]):
    """What `compare` found: a list of rows, the worst layer first, which pandas takes as they are.

    Each row is a dict with `name`, `level`, `cause`, `explanation`, `weight_sqnr_db`,
    `accumulated_sqnr_db`, `baseline_bytes` and more; docs/compare.md explains the numbers. None is
    what was not measured, and the SQNR of what has no error. `details` is all that
    `compression-board compare --json` says.
    """

    def __init__(self, details: dict[str, Any]) -> None:
        super().__init__(_row(layer) for layer in details["layers"])
        self.details = details

    @property
    def samples(self) -> int:
        """How many were run."""
        return int(self.details["samples"])

    @property
    def is_generated(self) -> bool:
        """Samples were made up: outputs describe the models, not their use."""
        return bool(self.details["is_generated"])

    @property
    def lint(self) -> list[dict[str, str]]:
        """`rule`, `node` and `explanation` of what the compressed graph does badly."""
        return list(self.details["lint"])

    @property
    def byte_shares(self) -> list[dict[str, Any]]:
        """`what`, `baseline_bytes` and `variant_bytes`, the largest first."""
        return list(self.details["bytes"])

    @property
    def keep_float(self) -> dict[str, str]:
        """By quantizer, the configuration that keeps the red layers in FP32."""
        return dict(self.details["keep_float"])


def _row(layer: dict[str, Any]) -> LayerRow:
    weight = layer["weight"] or {}
    local = layer["local"] or {}
    accumulated = layer["accumulated"] or {}
    fixes = layer["fixes"]
    return {
        "name": layer["name"],
        "variant_name": layer["variant_name"],
        "op_type": layer["op_type"],
        "paired_by": layer["paired_by"],
        "depth": layer["depth"],
        "bits": layer["bits"],
        "level": layer["level"],
        "cause": layer["cause"],
        "part": layer["part"],
        "explanation": layer["explanation"],
        "severity_db": layer["severity_db"],
        "weight_sqnr_db": weight.get("sqnr_db"),
        "weight_worst_channel": weight.get("worst_channel"),
        "weight_worst_channel_sqnr_db": weight.get("worst_channel_sqnr_db"),
        "weight_cosine": weight.get("cosine"),
        "weight_mse": weight.get("mse"),
        "weight_rmse_steps": weight.get("rmse_steps"),
        "weight_clip_rate": weight.get("clip_rate"),
        "weight_used_codes": weight.get("used_codes"),
        "weight_divergence": weight.get("divergence"),
        "bias_shift": layer["bias_shift"],
        "is_rescaled": layer["is_rescaled"],
        "output_sqnr_db": local.get("sqnr_db"),
        "output_cosine": local.get("cosine"),
        "output_clip_rate": local.get("clip_rate"),
        "accumulated_sqnr_db": accumulated.get("sqnr_db"),
        "accumulated_cosine": accumulated.get("cosine"),
        "accumulated_mse": accumulated.get("mse"),
        "saturated_pairs": (layer["saturation"] or {}).get("saturated"),
        "baseline_bytes": layer["baseline_bytes"],
        "variant_bytes": layer["variant_bytes"],
        "fix": fixes[0]["action"] if fixes else None,
        "fix_sqnr_db": fixes[0]["sqnr_db"] if fixes else None,
    }


def compare(
    baseline: PathLike,
    variant: PathLike,
    *,
    data: Optional[PathLike] = None,
    samples: int = 20,
    logdir: Optional[PathLike] = None,
) -> ModelComparison:
    """Compares two model files, layer by layer, and says which was hurt and why.

    Weights are compared from the files alone, whatever their formats. Of ONNX files, outputs are
    compared, too: both models run on up to `samples` samples from `data` (.npz, .npy or a folder of
    PNG files), or on generated ones, as `is_generated` then says. With `logdir`, what was found is
    also logged there, for the board and TensorBoard.

    FileNotFoundError when a file, or ONNX Runtime, is not there; ValueError when the files are not
    two of one model; OSError when one is damaged.
    """
    if samples < 0:
        raise ValueError(f"samples is {samples}; give 0 to compare weights only")
    found = _engine.compare_models(
        os.fspath(baseline),
        os.fspath(variant),
        "" if data is None else os.fspath(data),
        samples,
        "" if logdir is None else os.fspath(logdir),
    )
    return ModelComparison(json.loads(found))
