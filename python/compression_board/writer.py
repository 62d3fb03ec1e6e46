"""SummaryWriter and FileWriter, with tensorboardX's methods and arguments, on the C++ engine.

    from compression_board import SummaryWriter

    with SummaryWriter("runs/edge") as writer:
        writer.add_scalar("resnet18/latency_ms", 12.4, step)

Methods make their bytes in C++ and hand them to the event file directly. When somebody has replaced
`EventFileWriter.add_event`, or a `use_metadata` block is open, the same bytes travel as Event
messages through it instead.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from datetime import datetime
from typing import Any

from . import _engine, summary
from .event_files import EventFileWriter, bypass_allowed


def _step(value: Any) -> int:
    return 0 if value is None else int(value)


class FileWriter:
    """Writes summaries and events to one event file in `logdir`."""

    def __init__(self, logdir, max_queue=10, flush_secs=120, filename_suffix=""):
        self.event_writer = EventFileWriter(str(logdir), max_queue, flush_secs, filename_suffix)
        self._default_metadata: dict[str, Any] = {}

    def get_logdir(self):
        return self.event_writer.get_logdir()

    def add_event(self, event, step=None, walltime=None):
        """Adds an Event message; step and wall time are set on it."""
        defaults = self._default_metadata
        if walltime is not None:
            event.wall_time = walltime
        elif defaults:
            if defaults.get("walltime") is not None:
                event.wall_time = defaults["walltime"]
        else:
            event.wall_time = time.time()
        step = step if step is not None else defaults.get("global_step")
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary, global_step=None, walltime=None):
        from tensorboardX.proto.event_pb2 import Event

        self.add_event(Event(summary=summary), global_step, walltime)

    def add_serialized_summary(self, serialized, global_step=None, walltime=None):
        """Adds a Summary that is bytes already; what SummaryWriter's methods call."""
        file = self.event_writer._file
        if bypass_allowed(file):
            file.add_summary(
                serialized, _step(global_step), time.time() if walltime is None else walltime
            )
            return
        from tensorboardX.proto.summary_pb2 import Summary

        self.add_summary(Summary.FromString(serialized), global_step, walltime)

    def _add_graph_def(self, serialized, walltime=None):
        from tensorboardX.proto.event_pb2 import Event

        self.add_event(Event(graph_def=serialized), None, walltime)

    def add_graph(self, graph_profile, walltime=None):
        """Adds a pair (GraphDef, RunMetadata)."""
        from tensorboardX.proto.event_pb2 import Event, TaggedRunMetadata

        graph, stats = graph_profile
        self._add_graph_def(graph.SerializeToString(), walltime)
        metadata = TaggedRunMetadata(tag="profiler", run_metadata=stats.SerializeToString())
        self.add_event(Event(tagged_run_metadata=metadata), None, walltime)

    def add_onnx_graph(self, graph, walltime=None):
        self._add_graph_def(graph.SerializeToString(), walltime)

    def add_openvino_graph(self, graph, walltime=None):
        self._add_graph_def(graph.SerializeToString(), walltime)

    def flush(self):
        self.event_writer.flush()

    def close(self):
        self.event_writer.close()

    def reopen(self):
        self.event_writer.reopen()

    @contextlib.contextmanager
    def use_metadata(self, *, global_step=None, walltime=None):
        """Gives `global_step` and `walltime` to all events inside that have none of their own."""
        assert not self._default_metadata, "Default metadata are already set."
        assert global_step is not None or walltime is not None, "No metadata are given."
        self._default_metadata = {"global_step": global_step, "walltime": walltime}
        file = self.event_writer._file
        plain, file.plain = file.plain, False
        try:
            yield self
        finally:
            self._default_metadata = {}
            file.plain = plain


class DummyFileWriter:
    """Takes everything and writes nothing."""

    def __init__(self, logdir):
        self._logdir = str(logdir)

    def get_logdir(self):
        return self._logdir

    def _nothing(self, *args, **kwargs):
        return None

    add_event = add_summary = add_serialized_summary = add_graph = _nothing
    add_onnx_graph = add_openvino_graph = _add_graph_def = flush = close = reopen = _nothing

    @contextlib.contextmanager
    def use_metadata(self, *, global_step=None, walltime=None):
        yield self


class SummaryWriter(_engine.ScalarWriter):
    """Logs everything TensorBoard can show.

    Without `logdir`, the directory is runs/<date>_<host><comment>. Closing flushes; a method called
    afterwards goes on in a new event file. Usable as a context manager. Thread-safe, and children
    made by fork() write to the same file.
    """

    def __init__(
        self,
        logdir=None,
        comment="",
        purge_step=None,
        max_queue=10,
        flush_secs=120,
        filename_suffix="",
        write_to_disk=True,
        log_dir=None,
        comet_config={"disabled": True},  # Never changed; part of the signature.
        **kwargs,
    ):
        logdir = logdir if logdir is not None else log_dir
        if not logdir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            logdir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.logdir = str(logdir)
        self.purge_step = purge_step
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._filename_suffix = filename_suffix
        self._write_to_disk = write_to_disk
        self._comet_config = comet_config
        self.kwargs = kwargs
        self.file_writer = None
        self.all_writers = None
        self.scalar_dict: dict[str, list] = {}
        from .comet_utils import CometLogger

        self._comet_logger = CometLogger(comet_config)
        self._get_file_writer()

    @property
    def default_bins(self):
        """The 1549 bin edges of TensorBoard's histograms."""
        return _engine.tensorboard_bin_edges()

    def _get_file_writer(self):
        """The open FileWriter; a new one after close()."""
        if not self._write_to_disk:
            self.file_writer = DummyFileWriter(self.logdir)
            self.all_writers = {self.logdir: self.file_writer}
        elif self.all_writers is None or self.file_writer is None:
            self.file_writer = FileWriter(
                self.logdir, self._max_queue, self._flush_secs, self._filename_suffix, **self.kwargs
            )
            self.all_writers = {self.logdir: self.file_writer}
            if self.purge_step is not None:
                self._announce_restart()
            file = self.file_writer.event_writer._file
            direct = isinstance(file, _engine.EventFile) and self._comet_logger.disabled
            self._attach(file if direct else None)
        return self.file_writer

    def _announce_restart(self):
        from tensorboardX.proto.event_pb2 import Event, SessionLog

        step = self.purge_step
        self.file_writer.add_event(Event(step=step, file_version="brain.Event:2"))
        self.file_writer.add_event(
            Event(step=step, session_log=SessionLog(status=SessionLog.START))
        )

    def _write(self, serialized, global_step, walltime):
        self._get_file_writer().add_serialized_summary(serialized, global_step, walltime)

    # add_scalar is ScalarWriter's, in C++; what it does not take comes here.
    def _add_scalar(self, tag, scalar_value, global_step, walltime, display_name, description):
        serialized = summary.scalar_bytes(tag, scalar_value, display_name or "", description or "")
        self._write(serialized, global_step, walltime)
        self._comet_logger.log_metric(tag, display_name, scalar_value, global_step)

    def add_labelled_scalar(self, tag, scalar_value, global_step=None, walltime=None, *,
                            display_name="", description="", plugin_name="", plugin_content=b""):  # fmt: skip
        """add_scalar with summary metadata: names and notes for viewers, data for a plugin."""
        serialized = summary.scalar_bytes(
            tag, scalar_value, display_name, description, plugin_name, plugin_content
        )
        self._write(serialized, global_step, walltime)

    def add_scalar_batch(self, tag, scalar_values, global_steps, walltimes=None):
        """One point of `tag` per element of `scalar_values`, a whole curve in one call."""
        import numpy as np

        from .tensors import to_numpy

        def flat(numbers, dtype):
            return np.ascontiguousarray(to_numpy(numbers), dtype=dtype).ravel()

        values, steps = flat(scalar_values, np.float64), flat(global_steps, np.int64)
        times = None if walltimes is None else flat(walltimes, np.float64)
        if len(steps) != len(values) or (times is not None and len(times) != len(values)):
            raise ValueError(f"{len(values)} values need as many steps and wall times")
        writer = self._get_file_writer()
        if isinstance(writer, FileWriter) and bypass_allowed(writer.event_writer._file):
            writer.event_writer._file.add_scalars(tag, values, steps, times)
            return
        for i, (value, step) in enumerate(zip(values.tolist(), steps.tolist())):
            self.add_scalar(tag, value, step, None if times is None else float(times[i]))

    def _sub_writer(self, path):
        writer = self.all_writers.get(path)
        if writer is None:
            writer = FileWriter(path) if self._write_to_disk else DummyFileWriter(path)
            self.all_writers[path] = writer
        return writer

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """One value per key, each in a run of its own, so that one chart shows them together."""
        walltime = time.time() if walltime is None else walltime
        self._get_file_writer()
        paths = {key: self._sub_run(main_tag, key) for key in tag_scalar_dict}
        for key, value in tag_scalar_dict.items():
            number = summary.to_float(value)
            serialized = summary.scalar_bytes(main_tag, number)
            self._sub_writer(paths[key]).add_serialized_summary(serialized, global_step, walltime)
            self.scalar_dict.setdefault(paths[key], []).append([walltime, global_step, number])

    def _sub_run(self, main_tag, key):
        if "://" in self.logdir or ":" in self.logdir.split("/")[0]:
            return f"{self.logdir}/{main_tag}/{key}"
        return _engine.sub_run_path(self.logdir, str(main_tag), str(key))

    def export_scalars_to_json(self, path):
        """Writes what add_scalars was given so far to `path`, and forgets it."""
        with open(path, "w") as file:
            json.dump(self.scalar_dict, file)
        self.scalar_dict = {}

    def add_hparams(self, hparam_dict, metric_dict, name=None, global_step=None):
        """One row of the HParams page, as a run of its own: <logdir>/<name>."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        events = summary.hparams_bytes(hparam_dict, metric_dict)
        run = os.path.join(self.logdir, str(name) if name else str(time.time()))
        with SummaryWriter(run, write_to_disk=self._write_to_disk) as writer:
            for serialized in events:
                writer._write(serialized, None, None)
            for tag, value in metric_dict.items():
                writer.add_scalar(tag, value, global_step)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None,
                      max_bins=None):  # fmt: skip
        """The distribution of `values`: an array, a tensor, quantized or not."""
        self._write(summary.histogram_bytes(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(self, tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts,
                          global_step=None, walltime=None):  # fmt: skip
        """A histogram that is counted already."""
        serialized = summary.histogram_raw_bytes(
            tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts
        )
        self._write(serialized, global_step, walltime)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """A picture; uint8 is 0…255, everything else 0…1."""
        self._write(summary.image_bytes(tag, img_tensor, dataformats), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """A batch of pictures as one grid."""
        if isinstance(img_tensor, list):
            if dataformats.upper() not in ("CHW", "HWC"):
                print("A list of image is passed, but the dataformat is neither CHW nor HWC. "
                      "Nothing is written.")  # fmt: skip
                return
            import numpy as np

            from .tensors import to_numpy

            img_tensor = np.stack([to_numpy(image) for image in img_tensor])
            dataformats = "N" + dataformats
        self._write(summary.image_bytes(tag, img_tensor, dataformats), global_step, walltime)

    def add_image_with_boxes(self, tag, img_tensor, box_tensor, global_step=None, walltime=None,
                             dataformats="CHW", labels=None, **kwargs):  # fmt: skip
        """A picture with red boxes, N x 4: left, top, right, bottom; `rescale` resizes it."""
        rescale = kwargs.pop("rescale", 1)
        if kwargs:
            raise TypeError(
                f"add_image_with_boxes() got an unexpected argument '{next(iter(kwargs))}'"
            )
        serialized = summary.boxes_bytes(tag, img_tensor, box_tensor, rescale, dataformats, labels)
        self._write(serialized, global_step, walltime)

    def add_figure(self, tag, figure, global_step=None, close=True, walltime=None):
        """A matplotlib figure, or a list of them, as a picture."""
        from .utils import figure_to_image

        image = figure_to_image(figure, close)
        self._write(
            summary.image_bytes(tag, image, "NCHW" if isinstance(figure, list) else "CHW"),
            global_step,
            walltime,
        )

    def add_video(self, tag, vid_tensor, global_step=None, fps=4, walltime=None,
                  dataformats="NTCHW"):  # fmt: skip
        """A video as an animated GIF; a batch plays side by side."""
        self._write(summary.video_bytes(tag, vid_tensor, fps, dataformats), global_step, walltime)

    def add_audio(self, tag, snd_tensor, global_step=None, sample_rate=44100, walltime=None):
        """Sound, samples in -1…1: L or L x channels."""
        self._write(summary.audio_bytes(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """Markdown."""
        self._write(_engine.text_summary(tag, str(text_string)), global_step, walltime)

    def add_onnx_graph(self, onnx_model_file):
        """The graph of an ONNX model."""
        graph = _engine.graph_from_onnx(os.fspath(onnx_model_file))
        self._get_file_writer()._add_graph_def(graph)

    def add_openvino_graph(self, xmlname):
        """The graph of an OpenVINO model, by its .xml."""
        graph = _engine.graph_from_openvino(os.fspath(xmlname))
        self._get_file_writer()._add_graph_def(graph)

    def add_graph(self, model, input_to_model=None, verbose=False, use_strict_trace=True):
        """The graph of a PyTorch module, traced with `input_to_model`."""
        from .torch_graph import trace

        self._get_file_writer().add_graph(trace(model, input_to_model, verbose, use_strict_trace))

    def add_embedding(self, mat, metadata=None, label_img=None, global_step=None, tag="default",
                      metadata_header=None):  # fmt: skip
        """Points for the projector, with labels and thumbnails."""
        from .embedding import write_embedding

        write_embedding(self.logdir, mat, metadata, label_img, _step(global_step), tag,
                        metadata_header)  # fmt: skip

    def add_pr_curve(self, tag, labels, predictions, global_step=None, num_thresholds=127,
                     weights=None, walltime=None):  # fmt: skip
        """A precision-recall curve of probabilities against the truth."""
        serialized = summary.pr_curve_bytes(tag, labels, predictions, num_thresholds, weights)
        self._write(serialized, global_step, walltime)

    def add_pr_curve_raw(self, tag, true_positive_counts, false_positive_counts,
                         true_negative_counts, false_negative_counts, precision, recall,
                         global_step=None, num_thresholds=127, weights=None, walltime=None):  # fmt: skip
        """A precision-recall curve whose counts are known."""
        serialized = summary.pr_curve_raw_bytes(
            tag, true_positive_counts, false_positive_counts, true_negative_counts,
            false_negative_counts, precision, recall, num_thresholds,
        )  # fmt: skip
        self._write(serialized, global_step, walltime)

    def add_custom_scalars_multilinechart(self, tags, category="default", title="untitled"):
        """Several curves in one chart of the CUSTOM SCALARS page."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags, category="default", title="untitled"):
        """A curve with its margins: three tags, value, lower, upper."""
        assert len(tags) == 3, "a margin chart takes three tags: value, lower, upper"
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout):
        """The layout of the CUSTOM SCALARS page: {category: {chart: [kind, tags]}}."""
        self._write(summary.custom_scalars_bytes(layout), None, None)

    def add_mesh(self, tag, vertices, colors=None, faces=None, config_dict=None, global_step=None,
                 walltime=None):  # fmt: skip
        """A mesh or a point cloud: B x N x 3 each."""
        serialized = summary.mesh_bytes(tag, vertices, colors, faces, config_dict)
        self._write(serialized, global_step, walltime)

    def use_metadata(self, *, global_step=None, walltime=None):
        """Gives `global_step` and `walltime` to all events inside that have none of their own."""
        return self._get_file_writer().use_metadata(global_step=global_step, walltime=walltime)

    def flush(self):
        """Returns when everything added before is with the operating system, sub-runs included."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self):
        """Flushes and closes all files."""
        writers, self.all_writers, self.file_writer = self.all_writers, None, None
        self._attach(None)
        for writer in (writers or {}).values():
            writer.flush()
            writer.close()

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        self.close()
