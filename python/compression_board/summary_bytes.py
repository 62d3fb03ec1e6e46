"""One function per kind of summary; each returns the bytes that SummaryWriter writes."""

from __future__ import annotations

import functools
import json as _json
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from . import _engine
from ._engine import stored_tag
from .errors import check, check_format, check_mapping
from .tensors import as_engine, make_np, real_np, to_float
from .types import ArrayLike, Bins, Number

logger = logging.getLogger("tensorboardX.summary")

_cleaned = functools.lru_cache(maxsize=4096)(_engine.clean_tag)  # Programs use few different tags.


def _clean_tag(name: str) -> str:
    """Returns the tag as it is stored: characters other than letters, digits and -/_. become _.

    Raises ValueError if it is longer than 64 KiB or has surrogates.
    """
    if not isinstance(name, str):  # It may not be hashable.
        raise TypeError(f"a tag must be a str, not {type(name).__name__}")
    cleaned = _cleaned(name)
    if cleaned != name:
        logger.info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


def scalar_bytes(
    tag: str,
    value: Number,
    display_name: str = "",
    description: str = "",
    plugin_name: str = "",
    plugin_content: bytes = b"",
) -> bytes:
    return _engine.scalar_summary(
        _clean_tag(tag), to_float(value), display_name, description, plugin_name, plugin_content
    )


def histogram_arguments(
    tag: str, values: ArrayLike, bins: Bins, max_bins: Optional[int]
) -> tuple[str, Any, Any, int]:
    """Returns the arguments of a histogram for the engine."""
    if isinstance(values, (list, tuple)) and not len(values):
        raise ValueError("the input of the histogram is empty; give at least one value")
    tensor = as_engine(values)
    if isinstance(bins, (list, tuple, np.ndarray)):
        bins = [float(edge) for edge in bins]
    elif isinstance(bins, np.integer):
        bins = int(bins)
    return _clean_tag(tag), tensor, bins, int(max_bins or 0)


def histogram_bytes(
    tag: str, values: ArrayLike, bins: Bins, max_bins: Optional[int] = None
) -> bytes:
    return _engine.histogram_summary(*histogram_arguments(tag, values, bins, max_bins))


def histogram_raw_bytes(
    tag: str,
    min: float,
    max: float,
    num: float,
    sum: float,
    sum_squares: float,
    bucket_limits: Sequence[float],
    bucket_counts: Sequence[float],
) -> bytes:
    if len(bucket_limits) != len(bucket_counts):
        raise ValueError("bucket_limits and bucket_counts have different lengths; give one count per limit")
    return _engine.histogram_raw_summary(
        stored_tag(tag), float(min), float(max), float(num), float(sum), float(sum_squares),
        [float(limit) for limit in bucket_limits], [float(count) for count in bucket_counts],
    )  # fmt: skip


def _check_format(tensor: Any, dataformats: str) -> None:
    shape = np.shape(tensor[0]) if isinstance(tensor, tuple) else np.shape(tensor)
    check_format(shape, dataformats)


def image_bytes(tag: str, tensor: ArrayLike, dataformats: str = "CHW") -> bytes:
    values = as_engine(tensor)
    _check_format(values, dataformats)
    return _engine.image_summary(_clean_tag(tag), values, dataformats)


def boxes_bytes(
    tag: str,
    image: ArrayLike,
    boxes: ArrayLike,
    rescale: float = 1,
    dataformats: str = "CHW",
    labels: Any = None,
) -> bytes:
    values = as_engine(image)
    _check_format(values, dataformats)
    corners = as_engine(boxes)
    if isinstance(labels, str):
        labels = [labels]
    labels = [str(label) for label in labels] if labels is not None else []
    if labels and len(labels) != np.shape(corners)[0]:
        logger.warning("Number of labels do not equal to number of box, skip the labels.")
        labels = []
    return _engine.boxes_summary(
        stored_tag(tag), values, corners, float(rescale), dataformats, labels
    )


def video_bytes(tag: str, tensor: ArrayLike, fps: float = 4, dataformats: str = "NTCHW") -> bytes:
    values = as_engine(tensor)
    _check_format(values, dataformats)
    return _engine.video_summary(_clean_tag(tag), values, float(fps), dataformats)


def audio_bytes(tag: str, tensor: ArrayLike, sample_rate: int = 44100) -> bytes:
    array = make_np(tensor)
    if array.dtype.kind == "f" and array.size and np.abs(array).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
    return _engine.audio_summary(stored_tag(tag), as_engine(tensor), int(sample_rate))


def text_bytes(tag: str, text: str) -> bytes:
    return _engine.text_summary(stored_tag(tag), text)


def pr_curve_bytes(
    tag: str,
    labels: Any,
    predictions: ArrayLike,
    num_thresholds: int = 127,
    weights: Optional[ArrayLike] = None,
) -> bytes:
    return _engine.pr_curve_summary(
        stored_tag(tag),
        as_engine(labels),
        as_engine(predictions),
        int(num_thresholds),
        None if weights is None else as_engine(weights),
    )


def pr_curve_raw_bytes(
    tag: str,
    tp: ArrayLike,
    fp: ArrayLike,
    tn: ArrayLike,
    fn: ArrayLike,
    precision: ArrayLike,
    recall: ArrayLike,
    num_thresholds: int = 127,
) -> bytes:
    rows = [to_list(row) for row in (tp, fp, tn, fn, precision, recall)]
    return _engine.pr_curve_raw_summary(stored_tag(tag), rows, int(num_thresholds))


def to_list(values: Any) -> Any:
    return real_np(values).astype(np.float32).ravel().tolist()


def mesh_bytes(
    tag: str,
    vertices: ArrayLike,
    colors: Optional[ArrayLike] = None,
    faces: Optional[ArrayLike] = None,
    config_dict: Optional[dict[str, Any]] = None,
) -> bytes:
    return _engine.mesh_summary(
        stored_tag(tag),
        as_engine(vertices),
        None if colors is None else as_engine(colors),
        None if faces is None else as_engine(faces),
        _json.dumps(config_dict, sort_keys=True),
    )


def hparam_value(value: Any) -> Optional[Any]:
    """Returns `value` as bool, float or str; None if the HParams page does not support its type."""
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, float)):
        return float(value)
    return getattr(value, "__name__", None) if callable(value) else None


def hparam_pairs(hparam_dict: dict[str, Any]) -> list[tuple[str, Any]]:
    """Returns names and values in the form that the engine expects. Values of None are left out."""
    chosen = []
    for name, value in hparam_dict.items():
        if value is None:
            continue
        converted = hparam_value(value)
        if converted is None:
            try:
                converted = to_float(value)
            except (ValueError, TypeError):
                raise ValueError(
                    f"hparam '{name}' is a {type(value).__name__}; give a bool, a number or a str"
                ) from None
        chosen.append((str(name), converted))
    return chosen


def hparams_bytes(hparam_dict: Any, metric_dict: Any) -> tuple[bytes, bytes, bytes]:
    if not isinstance(hparam_dict, dict):
        raise TypeError(
            f"hparam_dict must be a dictionary, but is {type(hparam_dict)}"
        )
    if not isinstance(metric_dict, dict):
        raise TypeError(
            f"metric_dict must be a dictionary, but is {type(metric_dict)}"
        )
    return _engine.hparams_summaries(hparam_pairs(hparam_dict), [str(name) for name in metric_dict])


def custom_scalars_bytes(layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> bytes:
    categories = []
    check_mapping(layout, "the layout")
    for category, charts in layout.items():
        check_mapping(charts, f"category '{category}'")
        for title, chart in charts.items():
            pair = isinstance(chart, (list, tuple)) and len(chart) == 2
            check(pair, f"chart '{title}' should be [kind, tags], not {chart!r}")
        entries = [
            (str(title), [str(tag) for tag in tags], kind == "Margin")
            for title, (kind, tags) in charts.items()
        ]
        categories.append((str(category), entries))
    return _engine.custom_scalars_summary(categories)
