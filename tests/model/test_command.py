"""compression-board model, from outside."""

import json
import os
import subprocess

import numpy as np
from onnx import helper, numpy_helper

import onnx_models


def run(*arguments):
    return subprocess.run(
        [os.environ["COMPRESSION_BOARD"], "model", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
    )


def quantized_product(path):
    """y = x @ w with w in eight bits, 4 columns with a scale each."""
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


def test_what_cannot_be_read_is_said_and_fails(tmp_path):
    missing = run(tmp_path / "missing.onnx")
    assert missing.returncode == 1 and "missing.onnx" in missing.stderr and missing.stdout == ""
    (tmp_path / "m.pt").write_bytes(b"PK\x03\x04")
    archive = run(tmp_path / "m.pt")
    assert archive.returncode == 1 and "export the model to ONNX" in archive.stderr
    assert run().returncode == 2
