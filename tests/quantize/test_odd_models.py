"""Every odd model quantizes at every precision to a file that is valid, runs and stays close."""

import json
import os

import numpy as np
import onnx
import pytest

import odd_models
from conftest import check_file, outputs_of, run_quantize, sqnr_db

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
