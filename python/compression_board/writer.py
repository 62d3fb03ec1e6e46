"""SummaryWriter, with tensorboardX's methods and arguments, on the C++ engine.

    from compression_board import SummaryWriter

    with SummaryWriter("runs/edge") as writer:
        writer.add_scalar("resnet18/latency_ms", 12.4, step)
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from . import _engine, summary_bytes
from .errors import check
from .file_writer import DummyFileWriter, FileWriter, step_of
from .run_writer import RunWriter
from .types import ArrayLike, Bins, PathLike

__all__ = ["DummyFileWriter", "FileWriter", "SummaryWriter"]


class SummaryWriter(RunWriter):
    """Logs all kinds of data that TensorBoard can show.

    Without `logdir`, the directory is `runs/<date>_<host><comment>`. Closing flushes; a method that
    is called after close() continues in a new event file. Usable as a context manager. Thread-safe.
    After fork(), a child process continues in the files that its parent has open. It writes each
    event within the call, so that no event is lost if it ends with os._exit().

    `purge_step` is the step at which a crashed training starts again: viewers drop earlier points
    at this step and later. `flush_secs` is the maximum time that an event waits in memory. With
    `write_to_disk=False` every call is accepted and nothing is written. Raises OSError if the
    directory cannot be created.

    With `durable=True`, flush() and close() return when the events are on the disk, so that a power
    failure does not lose them (docs/reliability.md describes the cost). Raises ValueError if a
    custom factory handles `logdir`.
    """

    def _write_image(self, tag: str, serialized: bytes, step: Optional[int],
                     walltime: Optional[float]) -> None:  # fmt: skip
        self._write(serialized, step, walltime)
        if not self._comet.disabled:
            from ._protos import Summary

            image = Summary.FromString(serialized).value[0].image
            self._comet.log_image_encoded(image.encoded_image_string, tag, step)

    @property
    def default_bins(self) -> list[float]:
        """Returns the 1549 bin edges of TensorBoard's histograms."""
        return _engine.tensorboard_bin_edges()

    def add_histogram(self, tag: str, values: ArrayLike, global_step: Optional[int] = None,
                      bins: Bins = "tensorflow", walltime: Optional[float] = None,
                      max_bins: Optional[int] = None) -> None:  # fmt: skip
        """Logs the distribution of `values`: an array or a tensor of any shape.

        Quantized tensors, per-tensor and per-channel, are dequantized. Raises ValueError if there
        are no values, TypeError if they are not numbers.
        """
        arguments = summary_bytes.histogram_arguments(tag, values, bins, max_bins)
        run = self._direct_run()
        if run is None:
            self._write(_engine.histogram_summary(*arguments), global_step, walltime)
        else:
            run.add_histogram(*arguments, step_of(global_step), walltime)
        self._comet.log_histogram(values, tag, global_step)

    def add_histogram_raw(self, tag: str, min: float, max: float, num: float, sum: float,
                          sum_squares: float, bucket_limits: Sequence[float],
                          bucket_counts: Sequence[float], global_step: Optional[int] = None,
                          walltime: Optional[float] = None) -> None:  # fmt: skip
        """Logs a histogram from its counts: the upper limits of the buckets, and their counts."""
        serialized = summary_bytes.histogram_raw_bytes(
            tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts
        )
        self._write(serialized, global_step, walltime)
        if not self._comet.disabled:
            self._comet.log_asset_data(
                {"limits": [float(limit) for limit in bucket_limits],
                 "counts": [float(count) for count in bucket_counts]}, tag, global_step,
            )  # fmt: skip

    def add_image(self, tag: str, img_tensor: ArrayLike, global_step: Optional[int] = None,
                  walltime: Optional[float] = None, dataformats: str = "CHW") -> None:  # fmt: skip
        """Logs a picture of 1, 3 or 4 channels; uint8 values are 0…255, all others 0…1.

        `dataformats` names the dimensions, in any order: CHW, HWC, HW, NCHW (a grid).
        """
        serialized = summary_bytes.image_bytes(tag, img_tensor, dataformats)
        self._write_image(tag, serialized, global_step, walltime)

    def add_images(self, tag: str, img_tensor: ArrayLike, global_step: Optional[int] = None,
                   walltime: Optional[float] = None,
                   dataformats: str = "NCHW") -> None:  # fmt: skip
        """Logs a batch of pictures as one grid; pictures in a list have the format CHW or HWC."""
        if isinstance(img_tensor, list):
            if str(dataformats).upper() not in ("CHW", "HWC"):
                print("A list of image is passed, but the dataformat is neither CHW nor HWC. "
                      "Nothing is written.")  # fmt: skip
                return
            import numpy as np

            from .tensors import to_numpy

            img_tensor = np.stack([to_numpy(image) for image in img_tensor])
            dataformats = "N" + dataformats
        serialized = summary_bytes.image_bytes(tag, img_tensor, dataformats)
        self._write_image(tag, serialized, global_step, walltime)

    def add_image_with_boxes(self, tag: str, img_tensor: ArrayLike, box_tensor: ArrayLike,
                             global_step: Optional[int] = None, walltime: Optional[float] = None,
                             dataformats: str = "CHW", labels: Optional[Sequence[str]] = None,
                             **kwargs: Any) -> None:  # fmt: skip
        """Logs a picture with red boxes, N x 4: left, top, right, bottom; `rescale` resizes it."""
        rescale = kwargs.pop("rescale", 1)
        if kwargs:
            raise TypeError(
                f"add_image_with_boxes() got an unexpected argument '{next(iter(kwargs))}'"
            )
        serialized = summary_bytes.boxes_bytes(
            tag, img_tensor, box_tensor, rescale, dataformats, labels
        )
        self._write_image(tag, serialized, global_step, walltime)

    def add_figure(self, tag: str, figure: Any, global_step: Optional[int] = None,
                   close: bool = True, walltime: Optional[float] = None) -> None:  # fmt: skip
        """Logs a matplotlib figure, or a list of them, as a picture."""
        from .utils import figure_to_image

        image = figure_to_image(figure, close)
        dataformats = "NCHW" if isinstance(figure, list) else "CHW"
        serialized = summary_bytes.image_bytes(tag, image, dataformats)
        self._write_image(tag, serialized, global_step, walltime)

    def add_video(self, tag: str, vid_tensor: ArrayLike, global_step: Optional[int] = None,
                  fps: float = 4, walltime: Optional[float] = None,
                  dataformats: str = "NTCHW") -> None:  # fmt: skip
        """Logs a video as an animated GIF; the videos of a batch are shown side by side."""
        serialized = summary_bytes.video_bytes(tag, vid_tensor, fps, dataformats)
        self._write_image(tag, serialized, global_step, walltime)

    def add_audio(self, tag: str, snd_tensor: ArrayLike, global_step: Optional[int] = None,
                  sample_rate: int = 44100, walltime: Optional[float] = None) -> None:  # fmt: skip
        """Logs audio, samples in -1…1: L or L x channels."""
        self._write(summary_bytes.audio_bytes(tag, snd_tensor, sample_rate), global_step, walltime)
        self._comet.log_audio(snd_tensor, sample_rate, tag, global_step)

    def add_text(self, tag: str, text_string: str, global_step: Optional[int] = None,
                 walltime: Optional[float] = None) -> None:  # fmt: skip
        """Logs a text. Viewers show it as Markdown."""
        self._write(summary_bytes.text_bytes(tag, str(text_string)), global_step, walltime)
        self._comet.log_text(str(text_string), global_step)

    def add_onnx_graph(self, onnx_model_file: PathLike) -> None:
        """Logs the graph of an ONNX model: operators, shapes and attributes, without weights.

        Raises FileNotFoundError if the file is missing; OSError with the position if the file is
        damaged or not an ONNX model.
        """
        graph = _engine.graph_from_onnx(os.fspath(onnx_model_file))
        self._get_file_writer()._add_graph_def(graph)
        self._comet.log_asset(os.fspath(onnx_model_file))

    def add_openvino_graph(self, xmlname: PathLike) -> None:
        """Logs the graph of an OpenVINO model, given its .xml: a node per layer, with type and
        shapes.
        """
        graph = _engine.graph_from_openvino(os.fspath(xmlname))
        self._get_file_writer()._add_graph_def(graph)
        self._comet.log_asset(os.fspath(xmlname))

    def add_graph(self, model: Any, input_to_model: Any = None, verbose: bool = False,
                  use_strict_trace: bool = True) -> None:  # fmt: skip
        """Logs the graph of a PyTorch module, traced with `input_to_model`.

        Modules become name scopes, and edges have shapes. The tracer raises RuntimeError if the
        input does not fit.
        """
        from .torch_graph import trace

        self._get_file_writer().add_graph(trace(model, input_to_model, verbose, use_strict_trace))

    def add_embedding(self, mat: ArrayLike, metadata: Optional[Sequence[Any]] = None,
                      label_img: Optional[ArrayLike] = None, global_step: Optional[int] = None,
                      tag: str = "default",
                      metadata_header: Optional[Sequence[str]] = None) -> None:  # fmt: skip
        """Logs points for the projector: one point per row of `mat`, with labels and square
        thumbnails NCHW.
        """
        from .embedding import write_embedding

        logdir = self.logdir if self._write_to_disk else None
        write_embedding(logdir, mat, metadata, label_img, step_of(global_step), tag,
                        metadata_header, durable=self._durable)  # fmt: skip
        self._comet.log_embedding(mat, metadata, label_img, tag)

    def add_pr_curve(self, tag: str, labels: ArrayLike, predictions: ArrayLike,
                     global_step: Optional[int] = None, num_thresholds: int = 127,
                     weights: Optional[ArrayLike] = None,
                     walltime: Optional[float] = None) -> None:  # fmt: skip
        """Logs a precision-recall curve of predicted probabilities and true labels."""
        serialized = summary_bytes.pr_curve_bytes(tag, labels, predictions, num_thresholds, weights)
        self._write(serialized, global_step, walltime)
        if not self._comet.disabled:
            from .summary import compute_curve

            rows = compute_curve(labels, predictions, num_thresholds, weights)
            self._comet.log_curve(tag, rows[5].tolist(), rows[4].tolist(), global_step)

    def add_pr_curve_raw(self, tag: str, true_positive_counts: ArrayLike,
                         false_positive_counts: ArrayLike, true_negative_counts: ArrayLike,
                         false_negative_counts: ArrayLike, precision: ArrayLike, recall: ArrayLike,
                         global_step: Optional[int] = None, num_thresholds: int = 127,
                         weights: Optional[ArrayLike] = None,
                         walltime: Optional[float] = None) -> None:  # fmt: skip
        """Logs a precision-recall curve from its counts."""
        serialized = summary_bytes.pr_curve_raw_bytes(
            tag, true_positive_counts, false_positive_counts, true_negative_counts,
            false_negative_counts, precision, recall, num_thresholds,
        )  # fmt: skip
        self._write(serialized, global_step, walltime)
        if not self._comet.disabled:
            x, y = summary_bytes.to_list(recall), summary_bytes.to_list(precision)
            self._comet.log_curve(tag, x, y, global_step)

    def add_custom_scalars_multilinechart(self, tags: Sequence[str], category: str = "default",
                                          title: str = "untitled") -> None:  # fmt: skip
        """Shows several curves in one chart of the CUSTOM SCALARS page."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags: Sequence[str], category: str = "default",
                                       title: str = "untitled") -> None:  # fmt: skip
        """Shows a curve with its margins on the CUSTOM SCALARS page: three tags, value, lower,
        upper.
        """
        check(len(tags) == 3, "a margin chart takes three tags: value, lower, upper")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout: Mapping[str, Mapping[str, Sequence[Any]]]) -> None:
        """Sets the layout of the CUSTOM SCALARS page: {category: {chart: [kind, tags]}}."""
        self._write(summary_bytes.custom_scalars_bytes(layout), None, None)

    def add_mesh(self, tag: str, vertices: ArrayLike, colors: Optional[ArrayLike] = None,
                 faces: Optional[ArrayLike] = None, config_dict: Optional[dict[str, Any]] = None,
                 global_step: Optional[int] = None,
                 walltime: Optional[float] = None) -> None:  # fmt: skip
        """Logs a mesh or a point cloud: vertices, colours 0…255 and faces are B x N x 3 each."""
        serialized = summary_bytes.mesh_bytes(tag, vertices, colors, faces, config_dict)
        self._write(serialized, global_step, walltime)
        if not self._comet.disabled:
            points = summary_bytes.to_list(vertices)
            self._comet.log_asset_data({"vertices": points}, tag, global_step)


_engine.own_add_scalar(SummaryWriter)
