"""Converts numbers and settings of frameworks to the types that the writer accepts."""

from __future__ import annotations

import numbers
from collections.abc import Iterator, Mapping
from typing import Any


def flat(settings: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yields (name, value) for each value of nested settings: {"optimizer": {"lr": 0.1}} gives
    ("optimizer/lr", 0.1).
    """
    if hasattr(settings, "__dict__") and not isinstance(settings, Mapping):
        settings = vars(settings)  # Accepts argparse.Namespace and similar objects.
    for key, value in dict(settings).items():
        name = f"{prefix}/{key}" if prefix else str(key)
        if isinstance(value, Mapping):
            yield from flat(value, name)
        else:
            yield name, value


def hparams(settings: Any) -> dict[str, Any]:
    """Returns settings with the types that an HParams table supports: bool, number, text."""
    return {
        name: value if isinstance(value, (bool, numbers.Real, str)) else str(value)
        for name, value in flat(settings)
        if value is not None
    }


def scalar(value: Any) -> float | None:
    """Returns `value` as a number if it is a number, or an array or tensor with one element;
    otherwise None.
    """
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, numbers.Real):
        return float(value)
    if getattr(value, "shape", None) is not None and hasattr(value, "item"):
        size = 1
        for length in value.shape:
            size *= int(length)
        if size == 1:
            try:
                return float(value.item())
            except (TypeError, ValueError):
                return None
    return None


def scalars(metrics: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yields (name, number) for each metric with a number as its value, and skips all others."""
    for name, value in flat(metrics):
        number = scalar(value)
        if number is not None:
            yield name, number
