"""Every odd model quantizes at every precision to a file that is valid, runs and stays close."""

import json
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest

import odd_models
from conftest import check_file, outputs_of, run_quantize, sqnr_db

PEAK_OF = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
assert status == 0
print(usage.ru_maxrss)
"""
BITS = ["w8a8", "w8a16", "w4a16", "w4a8", "dynamic", "fp16"]


def feeds_of(samples, index=0):
    return {name: array[index : index + 1] for name, array in samples.items()}


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", odd_models.MODELS)
def test_odd_models_quantize_and_run(name, bits, tmp_path, quantize):
    samples = odd_models.write(name, tmp_path)
    output = tmp_path / "q.onnx"
    report = quantize(
        tmp_path / "float.onnx",
        output,
        "--data",
        tmp_path / "x.npz",
        "--bits",
        bits,
        "--threads",
        "1",
    )
    model = check_file(output)
    before = onnx.load(str(tmp_path / "float.onnx"))
    assert [value.name for value in model.graph.output] == [
        value.name for value in before.graph.output
    ]
    assert [(value.name, value.type) for value in model.graph.input] == [
        (value.name, value.type) for value in before.graph.input
    ]
    feeds = feeds_of(samples)
    for expected, found in zip(
        outputs_of(tmp_path / "float.onnx", feeds), outputs_of(output, feeds)
    ):
        assert expected.shape == found.shape and expected.dtype == found.dtype
        assert np.isfinite(found).all()
        limit = 8 if bits.startswith("w4") else 20
        assert expected.dtype.kind == "i" or not expected.any() or sqnr_db(expected, found) > limit
    assert report["quality"]["samples"] > 0


def test_random_samples_fit_every_odd_model(tmp_path, quantize):
    for name in odd_models.MODELS:
        odd_models.write(name, tmp_path)
        report = quantize(tmp_path / "float.onnx", tmp_path / "q.onnx")
        assert report["is_generated"], name
        check_file(tmp_path / "q.onnx")


def test_external_data_is_read_and_may_be_in_a_second_file(tmp_path, quantize):
    made, samples = odd_models.perceptron()
    onnx.save(
        made,
        str(tmp_path / "float.onnx"),
        save_as_external_data=True,
        location="float.data",
        size_threshold=0,
    )
    np.savez(tmp_path / "x.npz", **samples)
    quantize(tmp_path / "float.onnx", tmp_path / "q.onnx", "--data", tmp_path / "x.npz")
    check_file(tmp_path / "q.onnx")
    os.remove(tmp_path / "float.data")
    result = run_quantize(tmp_path / "float.onnx", "-o", tmp_path / "again.onnx")
    assert result.returncode == 1 and "float.data" in result.stderr


def test_large_weights_that_stay_float_are_looked_up_where_they_are(tmp_path, quantize):
    size, rng = 640, np.random.default_rng(5)
    weights = {name: rng.normal(size=(1, 4 * size, size), scale=0.02).astype(np.float32) for name in ("w", "r")}
    weights["w2"] = rng.normal(size=(size, 8)).astype(np.float32)
    weights["axes"] = np.array([0], np.int64)
    nodes = [onnx.helper.make_node("LSTM", ["x", "w", "r"], ["", "h", ""], "lstm", hidden_size=size),
             onnx.helper.make_node("Squeeze", ["h", "axes"], ["s"], "squeeze"),
             onnx.helper.make_node("MatMul", ["s", "w2"], ["y"], "head")]  # fmt: skip
    made = odd_models.model(nodes, [odd_models.value("x", [3, 1, size])], [odd_models.value("y", [1, 8])], weights)
    onnx.save(made, tmp_path / "float.onnx")
    np.save(tmp_path / "x.npy", rng.normal(size=(8, 3, 1, size)).astype(np.float32))
    quantize(tmp_path / "float.onnx", tmp_path / "q.onnx", "--data", tmp_path / "x.npy")
    check_file(tmp_path / "q.onnx")


def test_a_weight_that_a_loop_shares_is_stored_once(tmp_path, quantize):
    rng, make = np.random.default_rng(9), onnx.helper.make_node
    body = onnx.helper.make_graph(
        [make("Identity", ["more"], ["more_out"]), make("MatMul", ["h", "w"], ["p"]), make("Tanh", ["p"], ["h_out"])], "body",
        [odd_models.value("i", [], onnx.TensorProto.INT64), odd_models.value("more", [], onnx.TensorProto.BOOL),
         odd_models.value("h", [1, 64])],
        [odd_models.value("more_out", [], onnx.TensorProto.BOOL), odd_models.value("h_out", [1, 64])])  # fmt: skip
    nodes = [make("MatMul", ["x", "w"], ["first"], "first"), make("Loop", ["trips", "", "first"], ["y"], "loop", body=body)]
    constants = {"w": (rng.normal(size=(64, 64)) / 8).astype(np.float32), "trips": np.array(3, np.int64)}
    made = odd_models.model(nodes, [odd_models.value("x", [1, 64])], [odd_models.value("y", [1, 64])], constants)
    onnx.save(made, tmp_path / "float.onnx")
    np.save(tmp_path / "x.npy", rng.normal(size=(12, 64)).astype(np.float32))
    quantize(tmp_path / "float.onnx", tmp_path / "q.onnx", "--data", tmp_path / "x.npy")
    graph = check_file(tmp_path / "q.onnx").graph
    large = [tensor.data_type for tensor in graph.initializer if np.prod(tensor.dims) == 64 * 64]
    assert large == [onnx.TensorProto.INT8]
    feeds = {"x": np.load(tmp_path / "x.npy")[:1]}
    expected, found = (outputs_of(tmp_path / name, feeds)[0] for name in ("float.onnx", "q.onnx"))
    assert sqnr_db(expected, found) > 25


def test_memory_does_not_grow_with_the_number_of_samples(tmp_path):
    rng = np.random.default_rng(6)
    nodes = [onnx.helper.make_node("Conv", ["x", "w"], ["y"], "conv", strides=[8, 8])]
    made = odd_models.model(nodes, [odd_models.value("x", [1, 3, 160, 160])], [odd_models.value("y", [1, 4, 20, 20])],
                            {"w": rng.normal(size=(4, 3, 3, 3)).astype(np.float32)})  # fmt: skip
    onnx.save(made, tmp_path / "float.onnx")
    np.savez(tmp_path / "x.npz", x=rng.normal(size=(512, 3, 160, 160)).astype(np.float32))  # 157 MB
    peaks = {}
    for count in (16, 512):
        command = [os.environ["COMPRESSION_BOARD"], "quantize", tmp_path / "float.onnx", "--data", tmp_path / "x.npz",
                   "-o", tmp_path / "q.onnx", "--samples", str(count), "--no-equalize", "--no-smooth"]  # fmt: skip
        # A small process starts the command: the peak of a process begins with that of its parent.
        peaks[count] = int(subprocess.run([sys.executable, "-c", PEAK_OF, *command], capture_output=True, check=True).stdout)
    assert peaks[512] < peaks[16] + 32_000, peaks  # KB.


def test_statistics_are_saved_and_given_back(tmp_path, quantize):
    odd_models.write("opset_9", tmp_path)
    flags = ["--statistics", tmp_path / "statistics.safetensors"]
    first = quantize(
        tmp_path / "float.onnx", tmp_path / "a.onnx", "--data", tmp_path / "x.npz", *flags
    )
    os.remove(tmp_path / "x.npz")
    second = quantize(tmp_path / "float.onnx", tmp_path / "b.onnx", *flags)
    assert (tmp_path / "a.onnx").read_bytes() == (tmp_path / "b.onnx").read_bytes()
    assert second["samples"] == first["samples"] and not second["is_generated"]
    assert any("statistics.safetensors" in note for note in second["notes"])


def test_statistics_of_another_model_are_refused(tmp_path, quantize):
    odd_models.write("opset_9", tmp_path)
    flags = ["--statistics", tmp_path / "statistics.safetensors"]
    quantize(tmp_path / "float.onnx", tmp_path / "a.onnx", "--data", tmp_path / "x.npz", *flags)
    result = run_quantize(
        tmp_path / "float.onnx", "-o", tmp_path / "b.onnx", "--bits", "w4a16", "--gptq", *flags
    )
    assert result.returncode == 1 and "other settings" in result.stderr
    odd_models.write("shared_weight", tmp_path)
    result = run_quantize(tmp_path / "float.onnx", "-o", tmp_path / "b.onnx", *flags)
    assert result.returncode == 1 and "another model" in result.stderr
    (tmp_path / "statistics.safetensors").write_bytes(b"damaged")
    result = run_quantize(tmp_path / "float.onnx", "-o", tmp_path / "b.onnx", *flags)
    assert result.returncode == 1 and "statistics.safetensors" in result.stderr
    assert not (tmp_path / "b.onnx").exists()


def test_tensorrt_gets_symmetric_codes_and_a_float_bias(tmp_path, quantize):
    odd_models.write("opset_7", tmp_path)
    quantize(
        tmp_path / "float.onnx",
        tmp_path / "q.onnx",
        "--data",
        tmp_path / "x.npz",
        "--target",
        "tensorrt",
    )
    model = check_file(tmp_path / "q.onnx")
    constants = {
        tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in model.graph.initializer
    }
    quantizers = [node for node in model.graph.node if node.op_type.endswith("eLinear")]
    assert quantizers
    for node in quantizers:
        assert constants[node.input[2]].dtype == np.int8 and not constants[node.input[2]].any()
    assert not any(array.dtype == np.int32 for array in constants.values())
    result = run_quantize(
        tmp_path / "float.onnx",
        "-o",
        tmp_path / "b.onnx",
        "--target",
        "tensorrt",
        "--bits",
        "w4a16",
    )
    assert result.returncode == 1 and "TensorRT does not have" in result.stderr


def test_the_stages_are_logged(tmp_path, quantize):
    event_accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator"
    )
    odd_models.write("opset_7", tmp_path)
    report = quantize(
        tmp_path / "float.onnx",
        tmp_path / "q.onnx",
        "--data",
        tmp_path / "x.npz",
        "--logdir",
        tmp_path / "log",
    )
    assert {layer["name"] for layer in report["comparison"]["layers"]} >= {"conv", "head"}
    runs = {}
    for stage in (
        "initial_graph",
        "after_folding",
        "after_equalization",
        "after_calibration",
        "after_quantization",
    ):
        run = event_accumulator.EventAccumulator(str(tmp_path / "log/tensorboard_logs" / stage))
        run.Reload()
        assert run.Tags()["graph"], stage
        assert "Resources" in run.Tags()["run_metadata"], stage
        runs[stage] = run
    assert "conv" in " ".join(runs["after_calibration"].Tags()["histograms"])
    channels = event_accumulator.EventAccumulator(
        str(tmp_path / "log/tensorboard_logs/after_calibration/max_per_channel")
    )
    channels.Reload()
    assert channels.Tags()["scalars"]
    figures = event_accumulator.EventAccumulator(str(tmp_path / "log/tensorboard_logs/figures"))
    figures.Reload()
    assert any(tag.startswith("similarity_distance_sample_") for tag in figures.Tags()["images"])


def test_the_text_shows_the_table_of_compare(tmp_path):
    odd_models.write("opset_7", tmp_path)
    result = run_quantize(
        tmp_path / "float.onnx",
        "-o",
        tmp_path / "q.onnx",
        "--data",
        tmp_path / "x.npz",
        "--explain",
    )
    assert result.returncode == 0, result.stderr
    assert "conv" in result.stdout and "SQNR" in result.stdout
    assert not json.dumps(result.stdout).count("null")
