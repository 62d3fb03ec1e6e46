"""Models whose inputs have unknown sizes: shapes of random samples, and `--shape`."""

import json

import numpy as np
import onnx
import pytest
from conftest import run_compare
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(5)
WEIGHTS = RANDOM.normal(size=(6, 1, 32)).astype(np.float32)


def f32(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def audio(path, quantized, shape=("n", "samples")):
    """Returns a model that pads audio by its mirror image, 96 samples on each side, as for
    spectrograms. It also has a gain for every sample."""
    scale = np.float32(np.abs(WEIGHTS).max() / 127)
    nodes = [
        helper.make_node("Mul", ["audio", "gain"], ["louder"], "/gain/Mul"),
        helper.make_node("Unsqueeze", ["louder", "one"], ["channel"], "/Unsqueeze"),
        helper.make_node("Pad", ["channel", "pads"], ["padded"], "/Pad", mode="reflect"),
        helper.make_node("Conv", ["padded", "w"], ["y"], "/conv/Conv", strides=[16]),
    ]
    initializers = [
        numpy_helper.from_array(np.array([1], np.int64), "one"),
        numpy_helper.from_array(np.array([0, 0, 96, 0, 0, 96], np.int64), "pads"),
    ]
    if quantized:
        codes = np.round(WEIGHTS / scale).astype(np.int8)
        initializers += [
            numpy_helper.from_array(codes, "w_quantized"),
            numpy_helper.from_array(scale, "w_scale"),
        ]
        nodes.insert(0, helper.make_node("DequantizeLinear", ["w_quantized", "w_scale"], ["w"]))
    else:
        initializers.append(numpy_helper.from_array(WEIGHTS, "w"))
    graph = helper.make_graph(
        nodes, "g", [f32("audio", *shape), f32("gain", *shape)], [f32("y", "n", 6, "t")],
        initializers,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(path))
    return path


@pytest.fixture
def pair(tmp_path):
    return audio(tmp_path / "fp32.onnx", False), audio(tmp_path / "int8.onnx", True)


def test_a_guess_that_does_not_fit_is_shown_with_what_to_write(pair, compare):
    report = compare(*pair)
    assert "audio=1,32 for float32 [n, samples]" in report["why_not_run"]
    assert report["why_not_run"].endswith(
        "(--shape audio=SIZES --shape gain=SIZES), or real samples (--data)"
    )
    assert report["samples"] == 0
    assert [layer["name"] for layer in report["layers"]] == ["/conv/Conv"]  # Paired by its weights.
    # If samples are requested, a failure is an error.
    asked = run_compare(*pair, "--samples", "2")
    assert asked.returncode == 1 and asked.stdout == ""
    assert "audio=1,32 for float32 [n, samples]" in asked.stderr
    assert "--samples 0 (in Python, samples=0) compares weights alone" in asked.stderr


def test_a_shape_that_does_not_fit_is_an_error(pair):
    wrong = run_compare(*pair, "--shape", "audio=1,3")
    assert wrong.returncode == 1 and wrong.stdout == ""
    assert "fp32.onnx" in wrong.stderr


def test_samples_have_the_shape_that_is_given(pair, compare):
    report = compare(*pair, "--shape", "audio=2,512")
    # The sizes of `gain` have the same names.
    assert report["input_shapes"] == {"audio": [2, 512], "gain": [2, 512]}
    assert report["is_generated"] and report["samples"] == 20
    conv = next(layer for layer in report["layers"] if layer["name"] == "/conv/Conv")
    assert conv["accumulated"]["sqnr_db"] > 35
    text = run_compare(*pair, "--shape", "audio=2,512")
    assert "20 samples: generated, seed 0 (audio=2,512 gain=2,512)\n" in text.stdout


def test_parts_are_put_back_on_samples_of_that_shape(pair, compare):
    report = compare(*pair, "--shape", "audio=1,512", "--verify")
    assert report["why_not_verified"] == ""
    runs = {run["restored"]: run for run in report["verified"]}
    assert runs["all_weights"]["sqnr_db"] is None and runs["all_weights"]["why_not"] == ""  # Exact.
    last = next(layer for layer in report["layers"] if layer["name"] == "/conv/Conv")
    assert runs["nothing"]["sqnr_db"] == pytest.approx(last["accumulated"]["sqnr_db"])


def test_what_one_file_fixes_is_taken_for_both(pair, compare, tmp_path):
    fixed = audio(tmp_path / "fixed.onnx", True, (1, 400))
    assert compare(pair[0], fixed)["input_shapes"] == {"audio": [1, 400], "gain": [1, 400]}


def test_with_data_the_samples_decide(pair, compare, tmp_path):
    sound = RANDOM.normal(size=(3, 480)).astype(np.float32)
    np.savez(tmp_path / "sound.npz", audio=sound, gain=np.ones_like(sound))
    report = compare(*pair, "--data", tmp_path / "sound.npz", "--shape", "audio=1,512")
    assert report["input_shapes"] == {"audio": [1, 480], "gain": [1, 480]}
    assert report["samples"] == 3 and not report["is_generated"]


@pytest.mark.parametrize("shape, code, says", [
    ("audio=1,512,1", 1, "differs from the shape of input 'audio' float32 [n, samples]"),
    ("sound=1,512", 1, "there is no input 'sound'"),
    ("1,512", 1, "write for example audio=1,32"),
    ("audio=16384,32768", 1, "too large for random data"),
    ("audio=1,-512", 2, "negative size"),
    ("audio=1x512", 2, "write the sizes with commas"),
])  # fmt: skip
def test_shapes_that_cannot_be_are_refused(pair, shape, code, says):
    result = run_compare(*pair, "--shape", shape)
    assert result.returncode == code and result.stdout == ""
    assert says in result.stderr


def test_the_graph_that_is_logged_has_these_sizes(pair, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = tmp_path / "log"
    result = run_compare(*pair, "--shape", "audio=1,512", "--logdir", log, "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["input_shapes"]["audio"] == [1, 512]
    events = EventAccumulator(str(log / "fp32"))
    events.Reload()
    conv = next(node for node in events.Graph().node if node.name.endswith("conv/Conv"))
    sizes = [d.size for d in conv.attr["_output_shapes"].list.shape[0].dim]
    assert sizes == [1, 6, (512 + 2 * 96 - 32) // 16 + 1]
