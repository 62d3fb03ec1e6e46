"""Writes logs in the format of TensorBoard's own writers: everything is a tensor."""

import json
import struct
import zlib
from pathlib import Path

import numpy as np
from tensorboard.compat.proto import config_pb2, event_pb2, graph_pb2, summary_pb2
from tensorboard.plugins.audio import metadata as audio_metadata
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.custom_scalar import metadata as custom_scalar_metadata
from tensorboard.plugins.histogram.summary_v2 import histogram_pb
from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2
from tensorboard.plugins.hparams import metadata as hparams_metadata
from tensorboard.plugins.image import metadata as image_metadata
from tensorboard.plugins.scalar.summary_v2 import scalar_pb
from tensorboard.plugins.text import metadata as text_metadata
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util
from tensorboardX import SummaryWriter

WALL_TIME = 1.6e9  # Wall time of step 0; later steps are one second apart.

KERAS_MODEL = {
    "class_name": "Sequential",
    "config": {
        "name": "small",
        "layers": [
            {"class_name": "Dense", "config": {"name": "first", "dtype": "float32"}},
            {"class_name": "Dense", "config": {"name": "second", "dtype": "float32"}},
        ],
    },
}


def png(width, height, level):
    """Returns a minimal grey picture."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([level]) * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def wav(samples):
    data = struct.pack(f"<{len(samples)}h", *samples)
    head = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1, 8000, 16000, 2, 16)
    return head + b"data" + struct.pack("<I", len(data)) + data


def strings(tag, metadata, value):
    tensor = tensor_util.make_tensor_proto(np.array(value, dtype=object))
    return summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, metadata=metadata, tensor=tensor)])


def plugin(name, content=b"1"):
    return summary_pb2.SummaryMetadata(plugin_data={"plugin_name": name, "content": content})


def graph(prefix):
    result = graph_pb2.GraphDef()
    result.versions.producer = 22
    first = result.node.add(name=f"{prefix}/in", op="Placeholder", device="/cpu:0")
    first.attr["dtype"].type = 1
    second = result.node.add(name=f"{prefix}/out", op="Relu", input=[f"{prefix}/in"])
    second.attr["T"].type = 1
    second.attr["large"].s = b"x" * 3000
    return result


def write_tensors(writer):
    def add(summary, step):
        writer.add_event(event_pb2.Event(wall_time=WALL_TIME + step, step=step, summary=summary))

    for step in range(5):
        add(scalar_pb("loss", 0.1 * step, description="falls, *usually*"), step)
        add(histogram_pb("weights", np.arange(50.0) * step, buckets=8), step)
    add(scalar_pb("labelled", 3.0), 0)
    add(histogram_pb("constant", np.full(9, 2.5)), 0)
    add(histogram_pb("empty", np.array([])), 0)

    two = image_metadata.create_summary_metadata(display_name="Pictures", description="**two**")
    add(strings("pictures", two, [b"4", b"3", png(4, 3, 10), png(4, 3, 200)]), 1)
    add(strings("pictures", two, [b"4", b"3", png(4, 3, 30)]), 2)
    encoding = audio_metadata.Encoding.Value("WAV")
    sound = audio_metadata.create_summary_metadata(display_name="Sound", description="", encoding=encoding)
    add(strings("sounds", sound, [[wav([1, 2, 3]), b"a"], [wav([4, 5]), b"b"]]), 1)

    text = text_metadata.create_summary_metadata(display_name="", description="")
    add(strings("one", text, b"# Title\n\nplain *text*\n\n- a\n- b\n\nbetween\n\n1. c\n2. d"), 0)
    add(strings("code", text, b"```\nx < y && z\n```\n\n> quoted `code`"), 0)
    add(strings("table", text, b"|a|b|\n|---|:-:|\n|1|2|"), 0)
    add(strings("link", text, b'[good](https://example.com/a?b=1&c=2 "title") ![picture](a.png)'), 0)
    add(strings("script", text, b"<script>alert(1)</script>"), 0)
    add(strings("list", text, [b"a", b"**b**"]), 0)
    add(strings("grid", text, [[b"a", b"b"], [b"c", b"d"]]), 0)
    add(strings("cube", text, [[[b"a", b"b"], [b"c", b"d"]], [[b"e", b"f"], [b"g", b"h"]]]), 0)

    metadata = config_pb2.RunMetadata()
    metadata.function_graphs.add().pre_optimization_graph.CopyFrom(graph("one"))
    metadata.function_graphs.add().pre_optimization_graph.CopyFrom(graph("two"))
    device = metadata.step_stats.dev_stats.add(device="/cpu:0")
    device.node_stats.add(node_name="one/out", all_start_micros=5, op_end_rel_micros=7)
    add(strings("traced", plugin("graph_run_metadata"), metadata.SerializeToString()), 0)
    add(strings("function", plugin("graph_run_metadata_graph"), metadata.SerializeToString()), 0)
    add(strings("future", plugin("graph_run_metadata", b"2"), metadata.SerializeToString()), 0)
    add(strings("keras", plugin("graph_keras_model"), json.dumps(KERAS_MODEL).encode()), 0)
    writer.add_event(event_pb2.Event(wall_time=WALL_TIME, graph_def=graph("run").SerializeToString()))
    tagged = event_pb2.TaggedRunMetadata(tag="step1", run_metadata=metadata.SerializeToString())
    writer.add_event(event_pb2.Event(wall_time=WALL_TIME, tagged_run_metadata=tagged))

    multiline = layout_pb2.MultilineChartContent(tag=["loss", "acc.*"])
    chart = layout_pb2.Chart(title="losses", multiline=multiline)
    category = layout_pb2.Category(title="quality", chart=[chart], closed=True)
    layout = layout_pb2.Layout(category=[category]).SerializeToString()
    add(strings(custom_scalar_metadata.CONFIG_SUMMARY_TAG, plugin("custom_scalars", b""), layout), 0)


def session(tag, **content):
    data = plugin_data_pb2.HParamsPluginData(**content)
    metadata = hparams_metadata.create_summary_metadata(data)
    value = summary_pb2.Summary.Value(tag=tag, metadata=metadata, tensor=hparams_metadata.NULL_TENSOR)
    return summary_pb2.Summary(value=[value])


def write_sessions(logdir: Path):
    """Writes trials without a description of the experiment: its columns must be inferred."""
    for number, group in enumerate(["a", "a", "b"]):
        writer = EventFileWriter(str(logdir / "sweep" / f"trial_{number}"))
        hparams = {"lr": 0.5 ** (1 + number), "bits": 8, "name": group, "deep": number == 1}
        started = plugin_data_pb2.SessionStartInfo(group_name=group, start_time_secs=WALL_TIME)
        for name, value in hparams.items():
            field = {bool: "bool_value", str: "string_value"}.get(type(value), "number_value")
            setattr(started.hparams[name], field, value)
        ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.STATUS_SUCCESS, end_time_secs=WALL_TIME + 9)
        start = session(hparams_metadata.SESSION_START_INFO_TAG, session_start_info=started)
        end = session(hparams_metadata.SESSION_END_INFO_TAG, session_end_info=ended)
        for summary in (start, scalar_pb("accuracy", 0.5 + number / 8), scalar_pb("size_mb", 2e6 * number + 1), end):
            writer.add_event(event_pb2.Event(wall_time=WALL_TIME + number, step=number, summary=summary))
        writer.close()


def write_described_trial(logdir: Path):
    """tensorboardX describes an experiment in each trial."""
    with SummaryWriter(str(logdir)) as writer:
        hparams = {"lr": 0.125, "bits": 8, "symmetric": True, "observer": "min_max"}
        writer.add_hparams(hparams, {"accuracy": 0.75, "size": 1.5e-7}, name="trial")


def write_stock_logs(logdir: Path):
    writer = EventFileWriter(str(logdir / "stock"))
    write_tensors(writer)
    writer.close()
