"""One function per kind of summary; each returns a tensorboardX `Summary` message.

For programs that build summaries themselves. SummaryWriter uses serialized summaries instead.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np

from . import _engine
from .summary_bytes import (
    audio_bytes,
    boxes_bytes,
    custom_scalars_bytes,
    histogram_bytes,
    histogram_raw_bytes,
    hparams_bytes,
    image_bytes,
    mesh_bytes,
    pr_curve_bytes,
    pr_curve_raw_bytes,
    scalar_bytes,
    text_bytes,
    video_bytes,
)
from .tensors import make_np
from .types import ArrayLike, Bins, Number


def _message(serialized: bytes) -> Any:
    from ._protos import Summary

    return Summary.FromString(serialized)


def scalar(name: str, scalar: Number, display_name: str = "", summary_description: str = "") -> Any:
    return _message(scalar_bytes(name, scalar, display_name, summary_description))


def histogram(name: str, values: ArrayLike, bins: Bins, max_bins: Optional[int] = None) -> Any:
    array = make_np(values)
    if array.size == 0:
        raise ValueError("the input of the histogram is empty; give at least one value")
    if isinstance(bins, str) and bins == "tensorflow":
        raise ValueError("bins='tensorflow' works only in SummaryWriter; give its default_bins")
    return _message(histogram_bytes(name, values, bins, max_bins))


def make_histogram(values: ArrayLike, bins: Bins, max_bins: Optional[int] = None) -> Any:
    return histogram("tag", values, bins, max_bins).value[0].histo


def histogram_raw(
    name: str,
    min: float,
    max: float,
    num: float,
    sum: float,
    sum_squares: float,
    bucket_limits: Sequence[float],
    bucket_counts: Sequence[float],
) -> Any:
    return _message(
        histogram_raw_bytes(name, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
    )


def _as_pillow_encodes(message: Any) -> Any:
    """Returns `message` with its PNG encoded by Pillow, if Pillow is installed.

    Programs compare these bytes with those of tensorboardX. SummaryWriter uses the PNG of the
    engine, which has the same pixels and is encoded faster.
    """
    try:
        from PIL import Image
    except ImportError:
        return message
    import io

    for value in message.value:
        file = io.BytesIO()
        Image.open(io.BytesIO(value.image.encoded_image_string)).save(file, format="PNG")
        value.image.encoded_image_string = file.getvalue()
    return message


def image(tag: str, tensor: ArrayLike, rescale: float = 1, dataformats: str = "CHW") -> Any:
    return _as_pillow_encodes(_message(image_bytes(tag, tensor, dataformats)))


def make_image(
    tensor: ArrayLike,
    rescale: float = 1,
    rois: Optional[ArrayLike] = None,
    labels: Any = None,
) -> Any:
    if rois is None:
        return image("tag", tensor, dataformats="HWC").value[0].image
    return image_boxes("tag", tensor, rois, rescale, "HWC", labels).value[0].image


def image_boxes(
    tag: str,
    tensor_image: ArrayLike,
    tensor_boxes: ArrayLike,
    rescale: float = 1,
    dataformats: str = "CHW",
    labels: Any = None,
) -> Any:
    serialized = boxes_bytes(tag, tensor_image, tensor_boxes, rescale, dataformats, labels)
    return _as_pillow_encodes(_message(serialized))


def draw_boxes(disp_image: Any, boxes: ArrayLike, labels: Any = None) -> Any:
    """Returns a PIL image with the boxes drawn on it."""
    import io

    from PIL import Image

    serialized = boxes_bytes("tag", np.asarray(disp_image), boxes, 1, "HWC", labels)
    return Image.open(io.BytesIO(_message(serialized).value[0].image.encoded_image_string))


def video(tag: str, tensor: ArrayLike, fps: float = 4, dataformats: str = "NTCHW") -> Any:
    return _message(video_bytes(tag, tensor, fps, dataformats))


def make_video(tensor: ArrayLike, fps: float) -> Any:
    return video("tag", np.asarray(tensor)[None], fps, "NTHWC").value[0].image


def audio(tag: str, tensor: ArrayLike, sample_rate: int = 44100) -> Any:
    return _message(audio_bytes(tag, tensor, sample_rate))


def text(tag: str, text: str) -> Any:
    return _message(text_bytes(tag, text))


def pr_curve(
    tag: str,
    labels: Any,
    predictions: ArrayLike,
    num_thresholds: int = 127,
    weights: Optional[ArrayLike] = None,
) -> Any:
    return _message(pr_curve_bytes(tag, labels, predictions, num_thresholds, weights))


def pr_curve_raw(
    tag: str,
    tp: ArrayLike,
    fp: ArrayLike,
    tn: ArrayLike,
    fn: ArrayLike,
    precision: ArrayLike,
    recall: ArrayLike,
    num_thresholds: int = 127,
    weights: Optional[ArrayLike] = None,
) -> Any:
    return _message(pr_curve_raw_bytes(tag, tp, fp, tn, fn, precision, recall, num_thresholds))


def compute_curve(
    labels: Any,
    predictions: ArrayLike,
    num_thresholds: Optional[int] = None,
    weights: Optional[ArrayLike] = None,
) -> Any:
    """Returns six rows: true and false positives, true and false negatives, precision, recall."""
    tensor = pr_curve("tag", labels, predictions, num_thresholds or 127, weights).value[0].tensor
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    return np.array(tensor.float_val, dtype=np.float64).reshape(shape)


def mesh(
    tag: str,
    vertices: ArrayLike,
    colors: Optional[ArrayLike],
    faces: Optional[ArrayLike],
    config_dict: Optional[dict[str, Any]] = None,
    display_name: Optional[str] = None,
    description: Optional[str] = None,
) -> Any:
    return _message(mesh_bytes(tag, vertices, colors, faces, config_dict))


def hparams(hparam_dict: Any = None, metric_dict: Any = None) -> Any:
    return tuple(_message(part) for part in hparams_bytes(hparam_dict, metric_dict))


def custom_scalars(layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> Any:
    return _message(custom_scalars_bytes(layout))
