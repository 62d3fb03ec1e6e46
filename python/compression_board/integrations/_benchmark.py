"""Converts benchmark JSON to the runs of other experiment trackers, and back. These trackers store
one run per variant.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Union

from . import _values

# Benchmark results: {"resnet18": {"fp32": {"accuracy": 0.7}, …}}.
Results = Mapping[str, Mapping[str, Any]]


def read(results: Union[str, os.PathLike, Results]) -> Results:
    """Returns benchmark results, read from a file or given directly. Raises ValueError for any
    other value.
    """
    if isinstance(results, (str, os.PathLike)):
        with open(results, encoding="utf-8") as file:
            results = json.load(file)
    if not isinstance(results, Mapping):
        raise ValueError(
            'expected benchmark results {"<model>": {"fp32": {"accuracy": …}, "int8": {…}}}, '
            f"got a {type(results).__name__}"
        )
    return results


def variants(results: Results) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Yields (model, variant, metrics) for each variant that has metrics."""
    for model, entries in results.items():
        if not isinstance(entries, Mapping):
            continue
        for variant, metrics in entries.items():
            if variant != "model_info" and isinstance(metrics, Mapping):
                numbers = dict(_values.scalars(metrics))
                if numbers:
                    yield model, variant, numbers


def joined(rows: Iterable[tuple[str, str, Mapping[str, float]]]) -> dict[str, dict[str, Any]]:
    """Returns benchmark results, given (model, variant, metrics). Several entries of the same
    variant are merged.
    """
    results: dict[str, dict[str, Any]] = {}
    for model, variant, metrics in rows:
        results.setdefault(model, {}).setdefault(variant, {}).update(metrics)
    return results
