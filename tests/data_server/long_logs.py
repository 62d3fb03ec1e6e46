"""Logs series that are longer than TensorBoard's limit, restarted ones, and data of other plugins.
"""

from pathlib import Path

import numpy as np
from stock_logs import plugin, png, strings
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.plugins.histogram.summary_v2 import histogram_pb
from tensorboard.plugins.image import metadata as image_metadata
from tensorboard.plugins.scalar.summary_v2 import scalar_pb
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util

WALL_TIME = 1.7e9


def old_scalar(tag, value, **metadata):
    value = summary_pb2.Summary.Value(tag=tag, simple_value=value, metadata=summary_pb2.SummaryMetadata(**metadata))
    return summary_pb2.Summary(value=[value])


def of_plugin(tag, name, data_class, array):
    """Logs a value of a plugin that TensorBoard does not know."""
    metadata = plugin(name, b"content")
    metadata.data_class = data_class
    tensor = tensor_util.make_tensor_proto(array)
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, metadata=metadata, tensor=tensor)])


def write_long_logs(logdir: Path):
    writer = EventFileWriter(str(logdir / "long"))

    def add(summary, step):
        writer.add_event(event_pb2.Event(wall_time=WALL_TIME + step / 8, step=step, summary=summary))

    for step in range(5000):
        add(old_scalar("old", step / 7), step)
        add(scalar_pb("uneven", step / 3), step * step)
        if step < 1001:
            add(old_scalar("just_over", step), step)
        if step < 1000:
            add(old_scalar("just_full", step), step)
    for step in [*range(3000), *range(1200, 4000), *range(3999, 4001)]:  # Resumed twice.
        add(old_scalar("resumed", step), step)
    for _ in range(20):
        add(old_scalar("constant_step", 1), 0)
    add(old_scalar("named", 1, display_name="A name", summary_description="A *description*"), 0)
    two = image_metadata.create_summary_metadata(display_name="", description="")
    for step in range(200):
        add(histogram_pb("weights", np.arange(20.0) * step, buckets=5), step)
        add(strings("notes", plugin("text", b""), [f"step {step}".encode()]), step)
        add(strings("pictures", two, [b"2", b"2", png(2, 2, step)]), step)
    for step in range(3):
        add(of_plugin("a", "mine", summary_pb2.DATA_CLASS_SCALAR, np.float32(step)), step)
        add(of_plugin("b", "mine", summary_pb2.DATA_CLASS_TENSOR, np.arange(4) + step), step)
        add(of_plugin("c", "mine", summary_pb2.DATA_CLASS_BLOB_SEQUENCE, np.array([b"x", b"y"], dtype=object)), step)
        add(of_plugin("d", "nobody", summary_pb2.DATA_CLASS_UNKNOWN, np.arange(4)), step)
    writer.close()
