"""AURORA: one score for a compressed model, compared with its baseline.

score = aurora(fp32_metrics, int8_metrics)
score.score      # 1 is break-even, more is better
score.factors    # {"quality": …, "latency": …, …, "penalty": …}, whose product is the score
"""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from typing import Any, Optional

from . import _engine

Aurora = _engine.Aurora


def _is_number(value: Any) -> bool:
    return not isinstance(value, (bool, str, bytes, dict, list, tuple)) and value is not None


def numeric(metrics: Mapping[str, Any]) -> dict[str, float]:
    """Returns the numeric metrics as floats; True and False do not count as numbers."""
    from .tensors import to_float

    found = {}
    for key, value in metrics.items():
        if not _is_number(value):
            continue
        found[str(key)] = float(value) if isinstance(value, (int, float)) else to_float(value)
    return found


def not_numbers(metrics: Mapping[str, Any], whose: str) -> dict[str, str]:
    """Returns a sentence for each metric whose value is not a number; None counts as missing."""
    return {
        str(key): f"{key} of {whose} is {reprlib.repr(value)}, which is not a number"
        for key, value in metrics.items()
        if value is not None and not _is_number(value)
    }


def engine_options(
    *,
    weights: Optional[Mapping[str, float]] = None,
    quality: str = "accuracy",
    quality_lower_is_better: bool = False,
    penalty_factor: float = 10.0,
    penalty_threshold: float = 0.0,
    chance_level: float = 0.0,
    measured_on: str = "",
) -> tuple[dict[str, float], str, bool, float, float, float, str]:
    """Returns the options of aurora() in the form that the engine expects."""
    return (dict(weights or {}), quality, quality_lower_is_better, penalty_factor,
            penalty_threshold, chance_level, measured_on)  # fmt: skip


def aurora(
    baseline: Mapping[str, Any],
    variant: Mapping[str, Any],
    *,
    weights: Optional[Mapping[str, float]] = None,
    quality: str = "accuracy",
    quality_lower_is_better: bool = False,
    penalty_factor: float = 10.0,
    penalty_threshold: float = 0.0,
    chance_level: float = 0.0,
    measured_on: str = "",
) -> Aurora:
    """Scores `variant` against `baseline`, both with the keys of benchmark JSON.

    `weights` overrides the weights of quality, throughput, latency, energy and memory. Raises
    ValueError if there is no score: quality is missing or not a number, there are too few metrics,
    or a value is not positive.
    """
    for metrics, whose in ((baseline, "the baseline"), (variant, "the variant")):
        if quality in (odd := not_numbers(metrics, whose)):
            raise ValueError(f"no AURORA score: {odd[quality]}")
    options = engine_options(
        weights=weights, quality=quality, quality_lower_is_better=quality_lower_is_better,
        penalty_factor=penalty_factor, penalty_threshold=penalty_threshold,
        chance_level=chance_level, measured_on=measured_on,
    )  # fmt: skip
    return _engine.aurora(numeric(baseline), numeric(variant), *options)
