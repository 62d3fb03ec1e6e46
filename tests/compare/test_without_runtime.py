"""`compare` without ONNX Runtime, or with one that cannot run these models: weights are compared,
unless the user requires more."""

import json
import os
import shutil
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from conftest import run_compare

WEIGHTS = np.random.default_rng(5).normal(size=(8, 4)).astype(np.float32)


def f32(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def model(path, weights, behind=()):
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"], "/fc/MatMul"), *behind],
        "g", [f32("x", 1, 8)], [f32("y", 1, 4)], [numpy_helper.from_array(weights, "w")],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 13), *(helper.make_opsetid(node.domain, 1) for node in behind)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), str(path))
    return path


@pytest.fixture
def compare(tmp_path):
    """compare(flags…, CB_ONNXRUNTIME_LIB=…) runs a copy of the program far from build/ort, which
    finds neither Python nor Node."""
    program = tmp_path / "far/away/bin/compression-board"
    program.parent.mkdir(parents=True)
    shutil.copy(os.environ["COMPRESSION_BOARD"], program)
    pair = [model(tmp_path / "a.onnx", WEIGHTS), model(tmp_path / "b.onnx", WEIGHTS * 1.5)]

    def run(*flags, **variables):
        return subprocess.run(
            [program, "compare", *pair, *flags],
            env={"HOME": str(tmp_path), "PATH": str(program.parent), **variables},
            capture_output=True,
            text=True,
            timeout=60,
        )

    if json.loads(run("--json").stdout)["samples"] > 0:
        pytest.skip("the system has an ONNX Runtime")
    return run


def test_weights_are_compared_and_the_report_says_that_they_alone_were(compare):
    result = compare()
    assert (result.returncode, result.stderr) == (0, "")
    assert "Only weights were compared: ONNX Runtime is not installed" in result.stdout
    assert "`pip install onnxruntime`, or name its library in $CB_ONNXRUNTIME_LIB" in result.stdout
    assert "/fc/MatMul" in result.stdout
    report = json.loads(compare("--json").stdout)
    assert report["samples"] == 0 and "ONNX Runtime" in report["why_not_run"]
    assert report["layers"][0]["weight"]["sqnr_db"] == pytest.approx(6.02, abs=0.01)


@pytest.mark.parametrize("flags", [["--samples", "5"], ["--data", "x.npz"], ["--verify"]])
def test_what_takes_runs_is_refused_with_the_flag_that_does_without(compare, flags):
    result = compare(*flags)
    assert result.returncode == 1 and result.stdout == ""
    assert "pip install onnxruntime" in result.stderr
    assert "--samples 0 (in Python, samples=0) compares weights alone" in result.stderr


def test_a_library_that_is_named_and_missing_is_an_error(compare):
    result = compare(CB_ONNXRUNTIME_LIB="/nowhere/libonnxruntime.so")
    assert result.returncode == 1 and "/nowhere/libonnxruntime.so" in result.stderr


def test_a_model_that_the_runtime_does_not_know_is_compared_by_its_weights(tmp_path):
    own = helper.make_node("Own", ["y"], ["z"], name="/own", domain="somebody")
    paths = [model(tmp_path / "fp32.onnx", WEIGHTS, [own]), model(tmp_path / "int8.onnx", 2 * WEIGHTS, [own])]
    result = run_compare(*paths)
    assert (result.returncode, result.stderr) == (0, "")
    assert "Only weights were compared: ONNX Runtime" in result.stdout
    assert "somebody:Own" in result.stdout and "/fc/MatMul" in result.stdout
    asked = run_compare(*paths, "--samples", "1")
    assert asked.returncode == 1 and "somebody:Own" in asked.stderr
    assert "--samples 0 (in Python, samples=0) compares weights alone" in asked.stderr
