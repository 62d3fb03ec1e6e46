"""Writes the same log as the Model Compression Toolkit (2.0 and 2.6) for a network quantized to 2
bits.

The tags, the order and the oddities are those of its TensorboardWriter: statistics of the float
model at two stages, the same values both times and from the output to the input; graphs with
thresholds as attributes; `Resources` under the bare names of layers; no value of the quantized
model anywhere.

    python toolkit_like_log.py FOLDER [--quantized]    also logs outputs of the quantized model
"""

import sys
from pathlib import Path

import numpy as np
from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.event_pb2 import Event, TaggedRunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.step_stats_pb2 import (AllocatorMemoryUsed, DeviceStepStats,
                                                     NodeExecStats, StepStats)
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

# The order of computation, which differs from the order of the tags and from the alphabetical
# order.
LAYERS = ["image", "stem", "relu_a", "conv_b", "a_relu", "head"]
OPS = {"image": "InputLayer", "stem": "Conv2D", "relu_a": "ReLU", "conv_b": "Conv2D",
       "a_relu": "ReLU", "head": "Dense"}  # fmt: skip
FLOAT_BYTES = {"stem": 896, "conv_b": 4672, "head": 31400}
QUANTIZED_BYTES = {"stem": 86, "conv_b": 352, "head": 2000}
STAGES = ["initial_graph", "after_statistic_collection", "thresholds_selection",
          "post_statistics_collection_substitutions", "after_statistics_correction"]  # fmt: skip
WITH_STATISTICS = STAGES[2:4]


def outputs(layer):
    values = np.random.default_rng(LAYERS.index(layer)).standard_normal(20_000)
    return np.maximum(values, 0) if OPS[layer] == "ReLU" else values


def with_noise(values, sqnr_db):
    """Rounds values so that their SQNR is near the requested one, as few bits do."""
    step = np.sqrt(12 * np.mean(values**2) / 10 ** (sqnr_db / 10))
    return np.round(values / step) * step


def histogram(values):
    counts, edges = np.histogram(values, bins=256)
    # Like the toolkit: left edges, and the number of bins as the number of values.
    left = edges[:-1]
    return HistogramProto(min=left[0], max=left[-1], num=len(left), sum=float(np.sum(left * counts)),
                          sum_squares=float(np.sum(left**2 * counts)), bucket_limit=left, bucket=counts)  # fmt: skip


def graph(stage):
    definition, before = GraphDef(), None
    for i, layer in enumerate(LAYERS):
        place = "Input" if i == 0 else "Output" if layer == LAYERS[-1] else f"model/{OPS[layer]}_{i // 3}"
        node = NodeDef(name=f"{place}/{layer}", op=OPS[layer], device=OPS[layer])
        if before:
            node.input.append(f"{before}:0")
        before = node.name
        if stage in STAGES[2:]:
            note = NodeDef(name=f"{node.name}.activation", input=[f"{node.name}:0"])
            note.attr["activation_n_bits"].CopyFrom(AttrValue(i=2))
            note.attr["activation_quantization_params"].CopyFrom(AttrValue(s=b"{'threshold': 2.0, 'is_signed': True}"))
            definition.node.append(note)
            before = note.name
        definition.node.append(node)
    return definition


def resources(stage):
    sizes = QUANTIZED_BYTES if stage == STAGES[-1] else FLOAT_BYTES
    nodes = [NodeExecStats(node_name=layer, memory=[AllocatorMemoryUsed(total_bytes=sizes.get(layer, 0))]) for layer in LAYERS]
    return RunMetadata(step_stats=StepStats(dev_stats=[DeviceStepStats(device="/device:CPU:0", node_stats=nodes)]))


def add(folder, *events):
    writer = EventFileWriter(str(folder))
    for event in events:
        writer.add_event(event)
    writer.close()


def summary(tag, step=0, **value):
    return Event(step=step, summary=Summary(value=[Summary.Value(tag=tag, **value)]))


def write(folder, sqnr_db=None):
    """With `sqnr_db`, also logs the outputs of the quantized model with this SQNR."""
    root = Path(folder) / "logs_17112026_120000" / "tensorboard_logs"
    for stage in STAGES:
        events = [Event(graph_def=graph(stage).SerializeToString()),
                  Event(tagged_run_metadata=TaggedRunMetadata(tag="Resources", run_metadata=resources(stage).SerializeToString()))]  # fmt: skip
        if stage in WITH_STATISTICS:
            events += [summary(layer, histo=histogram(outputs(layer))) for layer in reversed(LAYERS)]
            for end, of in (("min", np.min), ("max", np.max), ("mean", np.mean)):
                add(root / stage / f"{end}_per_channel",
                    *(summary(layer, step=0, simple_value=float(of(outputs(layer)))) for layer in reversed(LAYERS)))  # fmt: skip
        add(root / stage, *events)
    if sqnr_db is not None:
        add(root / "after_quantization",
            *(summary(layer, histo=histogram(with_noise(outputs(layer), sqnr_db))) for layer in reversed(LAYERS)))  # fmt: skip


if __name__ == "__main__":
    write(sys.argv[1], 4.3 if "--quantized" in sys.argv else None)
