"""Tests benchmark: metrics of model files, with accuracy from a function."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from compression_board import benchmark
from onnx import helper, numpy_helper

RUNTIME = Path(__file__).resolve().parents[2] / "build" / "ort" / "python" / "onnxruntime" / "capi"


@pytest.fixture(autouse=True)
def runtime(monkeypatch):
    libraries = sorted(RUNTIME.glob("libonnxruntime.so*"))
    if not libraries:
        pytest.skip("scripts/fetch-onnxruntime has not run")
    monkeypatch.setenv("CB_ONNXRUNTIME_LIB", str(libraries[0]))


def dense(path, width):
    """x -> MatMul -> MatMul -> y, with `width` in the middle."""
    random = np.random.default_rng(0)
    constants = [
        numpy_helper.from_array(random.normal(size=(256, width)).astype("f4"), "w"),
        numpy_helper.from_array(random.normal(size=(width, 10)).astype("f4"), "v"),
    ]
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"]), helper.make_node("MatMul", ["h", "v"], ["y"])]
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info("x", 1, ["n", 256])],
        [helper.make_tensor_value_info("y", 1, ["n", 10])],
        constants,
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(made, str(path))
    return path


def test_measures_files_and_takes_scores_of_a_function(tmp_path):
    files = {"fp32": dense(tmp_path / "a.onnx", 1024), "small": dense(tmp_path / "b.onnx", 64)}
    seen = []

    def accuracy(path):
        seen.append(path)
        return {"accuracy": 0.9, "recall": 0.5} if path.endswith("a.onnx") else 0.8

    result = benchmark(files, name="net", eval_fn=accuracy, seconds=30, logdir=tmp_path / "runs")
    assert seen == [str(file) for file in files.values()]
    assert result.name == "net" and result.baseline == "fp32"
    assert result["fp32"]["accuracy"] == 0.9 and result["fp32"]["recall"] == 0.5
    assert result["small"]["accuracy"] == 0.8
    assert result["small"]["latency_mean_ms"] > 0 and result["small"]["memory_usage_mb"] > 0
    assert result.verdict("small") == "faster"
    assert result.environment["threads"] == 1
    assert list((tmp_path / "runs").rglob("*tfevents*"))


def test_a_function_that_raises_is_a_failed_evaluation(tmp_path):
    file = dense(tmp_path / "a.onnx", 64)

    def fails(path):
        raise RuntimeError("no data")

    variant = benchmark([file], eval_fn=fails, seconds=1)["a"]
    assert "accuracy" not in variant
    assert "RuntimeError: no data" in variant["why_invalid"]
    assert variant["latency_mean_ms"] > 0


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (float("nan"), "eval_fn returned nan as 'accuracy'"),
        ({"accuracy": 0.9, "recall": float("inf")}, "eval_fn returned inf as 'recall'"),
        ({"accuracy": "high"}, "eval_fn returned str as 'accuracy'"),
        ("high", "eval_fn returned str;"),
    ],
)
def test_what_is_no_number_is_a_failed_evaluation(tmp_path, returned, expected):
    file = dense(tmp_path / "a.onnx", 64)
    variant = benchmark([file], eval_fn=lambda path: returned, seconds=0.5)["a"]
    assert "accuracy" not in variant
    assert expected in variant["why_invalid"]


def test_says_what_is_wrong(tmp_path):
    with pytest.raises(ValueError, match=r"none\.onnx"):
        benchmark([tmp_path / "none.onnx"], seconds=1)
    with pytest.raises(TypeError, match="a list of paths"):
        benchmark("model.onnx")
