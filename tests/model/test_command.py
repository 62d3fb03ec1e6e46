"""Tests compression-board model from outside."""

import json
import os
import subprocess

import numpy as np
from onnx import helper, numpy_helper

import onnx_models
import test_tflite


def run(*arguments):
    return subprocess.run(
        [os.environ["COMPRESSION_BOARD"], "model", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
    )


def quantized_product(path):
    """Returns y = x @ w with w in eight bits, and a scale for each of 4 columns."""
    codes = np.arange(12, dtype=np.int8).reshape(3, 4)
    onnx_models.save(
        path,
        [
            helper.make_node("DequantizeLinear", ["w_quantized", "w_scale"], ["w"], "dq", axis=1),
            helper.make_node("MatMul", ["x", "w"], ["y"], "/head/fc/MatMul"),
        ],
        [onnx_models.f32("x", "n", 3)],
        [onnx_models.f32("y", "n", 4)],
        [
            numpy_helper.from_array(codes, "w_quantized"),
            numpy_helper.from_array(np.full(4, 0.5, np.float32), "w_scale"),
        ],
    )
    return path


def test_text(tmp_path):
    result = run(quantized_product(tmp_path / "m.onnx"))
    assert result.returncode == 0 and result.stderr == ""
    assert (
        "onnx, " in result.stdout and "2 nodes, 2 constants of 16 elements in 28 B" in result.stdout
    )
    assert "8 bit per channel, qdq" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["MatMul", "1", "28", "B", "12"] in lines
    assert ["/head/fc/MatMul", "MatMul", "28", "B", "12", "[?,", "4]"] in lines


def test_json_is_complete_whatever_top_says(tmp_path):
    result = run(quantized_product(tmp_path / "m.onnx"), "--json", "--top", "0")
    report = json.loads(result.stdout)
    assert report["totals"] == {
        "nodes": 2,
        "constants": 2,
        "elements": 16,
        "weight_bytes": 28,
        "macs": 12,
        "nodes_without_macs": 0,
    }
    assert [node["op_type"] for node in report["nodes"]] == ["DequantizeLinear", "MatMul"]
    assert report["inputs"][0]["shape"] == [None, 3]
    codes = report["constants"][0]
    assert codes["name"] == "w_quantized" and codes["quantization"]["bits"] == 8
    assert (
        codes["quantization"]["granularity"] == "per channel" and codes["quantization"]["axis"] == 1
    )


def test_sparse_weights_are_called_so_and_count_what_the_file_holds(tmp_path):
    content, weights, stored_bytes = test_tflite.sparse_network()
    (tmp_path / "m.tflite").write_bytes(content)
    lines = [line.split() for line in run(tmp_path / "m.tflite").stdout.splitlines()]
    shares = [f"{100 * part / (stored_bytes + 16):.1f}" for part in (stored_bytes, 16)]
    elements = str(weights.size)
    assert ["float16,", "sparse", "1", elements, str(stored_bytes), "B", shares[0], "%"] in lines
    assert ["float32", "1", "4", "16", "B", shares[1], "%"] in lines
    report = json.loads(run(tmp_path / "m.tflite", "--json").stdout)
    assert report["totals"]["elements"] == weights.size + 4
    assert report["totals"]["weight_bytes"] == stored_bytes + 16 < weights.nbytes
    weight, bias = report["constants"]
    assert weight["name"] == "conv/w" and weight["bytes"] == stored_bytes and weight["sparse"]
    assert bias["name"] == "conv/b" and bias["bytes"] == 16 and not bias["sparse"]


def test_sparse_weights_are_compared_with_dense_ones(tmp_path):
    sizes = []
    for name, is_sparse in (("dense", False), ("sparse", True)):
        content, _, stored_bytes = test_tflite.sparse_network(is_sparse)
        (tmp_path / f"{name}.tflite").write_bytes(content)
        sizes.append(stored_bytes)
    result = subprocess.run(
        [
            os.environ["COMPRESSION_BOARD"],
            "compare",
            tmp_path / "dense.tflite",
            tmp_path / "sparse.tflite",
            "--json",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    (layer,) = report["layers"]
    assert layer["op_type"] == "CONV_2D" and layer["level"] == "green"
    assert layer["weight"]["mse"] == 0 and layer["variant_bytes"] == sizes[1] + 16
    shares = {share["what"]: share for share in report["bytes"]}
    assert shares["weights, float16"]["baseline_bytes"] == sizes[0]
    assert shares["weights, float16, sparse"]["variant_bytes"] == sizes[1] < sizes[0]


def test_what_cannot_be_read_is_said_and_fails(tmp_path):
    missing = run(tmp_path / "missing.onnx")
    assert missing.returncode == 1 and "missing.onnx" in missing.stderr and missing.stdout == ""
    (tmp_path / "m.pt").write_bytes(b"PK\x03\x04")
    archive = run(tmp_path / "m.pt")
    assert archive.returncode == 1 and "export the model to ONNX" in archive.stderr
    assert run().returncode == 2


def dynamic_convolution(path):
    weights = numpy_helper.from_array(np.ones((4, 3, 3, 3), np.float32), "w")
    onnx_models.save(
        path,
        [helper.make_node("Conv", ["x", "w"], ["y"], "/conv/Conv", pads=[1, 1, 1, 1])],
        [onnx_models.f32("x", "batch", 3, "height", "width")],
        [onnx_models.f32("y", "batch", 4, "height", "width")],
        [weights],
    )
    return path


def test_shapes_of_inputs_with_open_sizes(tmp_path):
    path = dynamic_convolution(tmp_path / "m.onnx")
    before = run(path)
    assert (
        ", unknown multiply-accumulates for one sample in 1 node of unknown shape or kind "
        "(give the shapes of inputs by --shape)\n"
    ) in before.stdout
    assert "input 'x' float32 [batch, 3, height, width]" in before.stdout
    for shape in ("x=1,3,48,320", "1,3,48,320"):
        given = run(path, "--shape", shape)
        assert given.returncode == 0 and given.stderr == ""
        assert "1.66 M multiply-accumulates for one sample\n" in given.stdout
        assert "[1, 4, 48, 320]" in given.stdout
    report = json.loads(run(path, "--shape", "x=2,3,48,320", "--json").stdout)
    assert report["totals"]["macs"] == 2 * 4 * 48 * 320 * 27
    assert report["totals"]["nodes_without_macs"] == 0
    assert report["inputs"][0]["shape"] == [2, 3, 48, 320]
    assert report["outputs"][0]["shape"] == [2, 4, 48, 320]
    assert report["nodes"][0]["output_shapes"] == [[2, 4, 48, 320]]
    assert report["nodes"][0]["output_bytes"] == 4 * 2 * 4 * 48 * 320
    assert "for inputs of these shapes" in run(path, "--shape", "2,3,48,320").stdout


def test_shapes_that_cannot_be(tmp_path):
    path = dynamic_convolution(tmp_path / "m.onnx")
    for shape, says in [
        ("x=1,4,48,320", "input 'x' float32 [batch, 3, height, width]"),
        ("z=1,3,48,320", "there is no input 'z'"),
    ]:
        refused = run(path, "--shape", shape)
        assert refused.returncode == 1 and says in refused.stderr and refused.stdout == ""
    assert run(path, "--shape", "x=1,3,-1,320").returncode == 2
    assert run(path, "--shape", "x=1,3,8,8", "--shape", "x=1,3,9,9").returncode == 2
    assert "--shape" in run("--help").stdout
