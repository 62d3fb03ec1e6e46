"""Compares the output of `compression-board export --format json` for a log directory with
TensorBoard's own EventAccumulator, which keeps all values."""

import base64
import json
import os
import subprocess

import numpy as np
from tensorboard.backend.event_processing import event_accumulator, plugin_event_accumulator
from tensorboard.util import tensor_util

PROGRAM = os.environ.get("COMPRESSION_BOARD", "compression-board")


def export(logdir):
    """Returns {run: {tag: its object}}."""
    run = subprocess.run(
        [PROGRAM, "export", "--logdir", str(logdir), "--format", "json", "--media"],
        capture_output=True, text=True, check=False,
    )
    assert run.returncode == 0, run.stderr
    return {
        entry["run"]: {tag["tag"]: tag for tag in entry["tags"]} for entry in json.loads(run.stdout)["runs"]
    }


def accumulators(directory):
    """Runs TensorBoard's two loaders: the old one has values as they were logged, the new one has
    converted them to tensors."""
    legacy = event_accumulator.EventAccumulator(str(directory), size_guidance=dict.fromkeys(
        event_accumulator.DEFAULT_SIZE_GUIDANCE, 0))
    modern = plugin_event_accumulator.EventAccumulator(str(directory), size_guidance={"tensors": 0})
    legacy.Reload()
    modern.Reload()
    return legacy, modern


def number(value):
    """JSON has no NaN."""
    return float(value.replace("Infinity", "inf")) if isinstance(value, str) else value


def same(ours, theirs):
    np.testing.assert_array_equal(np.asarray(ours, np.float64), np.asarray(theirs, np.float64))


def decoded(value):
    """Returns a string of a tensor as bytes."""
    return base64.b64decode(value["base64"]) if isinstance(value, dict) else value.encode()


def same_points(tag, events):
    assert tag["steps"] == [event.step for event in events], tag["tag"]
    same([number(t) for t in tag["wall_times"]], [event.wall_time for event in events])


def same_scalars(tag, modern):
    events = modern.Tensors(tag["tag"])
    same_points(tag, events)
    same([number(value) for value in tag["values"]],
         [tensor_util.make_ndarray(event.tensor_proto).item() for event in events])


def same_histograms(tag, legacy):
    events = legacy.Histograms(tag["tag"])
    same_points(tag, events)
    for ours, event in zip(tag["values"], events):
        theirs = event.histogram_value
        for key in ("min", "max", "num", "sum", "sum_squares"):
            same(number(ours[key]), getattr(theirs, key))
        same(ours["bucket_limits"], theirs.bucket_limit)
        same(ours["bucket_counts"], theirs.bucket)


def same_images(tag, legacy):
    events = legacy.Images(tag["tag"])
    same_points(tag, events)
    for ours, theirs in zip(tag["values"], events):
        assert (ours["width"], ours["height"]) == (theirs.width, theirs.height)
        assert base64.b64decode(ours["base64"]) == theirs.encoded_image_string


def same_audio(tag, legacy):
    events = legacy.Audio(tag["tag"])
    same_points(tag, events)
    for ours, theirs in zip(tag["values"], events):
        same(ours["sample_rate"], theirs.sample_rate)
        assert ours["length_frames"] == theirs.length_frames
        assert base64.b64decode(ours["base64"]) == theirs.encoded_audio_string


def same_tensors(tag, modern):
    events = modern.Tensors(tag["tag"])
    same_points(tag, events)
    for ours, event in zip(tag["values"], events):
        theirs = tensor_util.make_ndarray(event.tensor_proto)
        if ours is None:  # Metadata only: TensorBoard creates an empty tensor from it.
            assert theirs.size == 0
            continue
        assert tuple(ours["shape"]) == theirs.shape, tag["tag"]
        if ours["dtype"] == "STRING":
            assert [decoded(value) for value in ours["values"]] == list(theirs.reshape(-1))
        else:
            same([number(value) for value in ours["values"]], theirs.reshape(-1))


def check_run(tags, directory):
    """Checks that both sides have the same tags with the same values."""
    legacy, modern = accumulators(directory)
    known = set(modern.Tags()["tensors"])
    theirs = known | set(legacy.Tags()["run_metadata"])
    assert set(tags) - {"__run_graph__", "__meta_graph__"} == theirs - {"__run_graph__"}
    old = legacy.Tags()
    for name, tag in tags.items():
        if tag["kind"] == "scalar":
            same_scalars(tag, modern)
        elif name in old["histograms"]:
            same_histograms(tag, legacy)
        elif name in old["images"]:
            same_images(tag, legacy)
        elif name in old["audio"]:
            same_audio(tag, legacy)
        elif tag["kind"] == "graph":
            if name == "__run_graph__":
                assert base64.b64decode(tag["values"][-1]["base64"]) == legacy._graph
        elif tag["kind"] == "run_metadata":
            assert base64.b64decode(tag["values"][-1]["base64"]) == legacy._tagged_metadata[name]
        else:
            same_tensors(tag, modern)
    return {tag["kind"] for tag in tags.values()}
