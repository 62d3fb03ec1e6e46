"""Files whose layers have more channels than any network: memory use stays near the size of the
files.
"""

import json
import os
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

sys.path.append(str(Path(__file__).parent.parent / "support"))
from peak_memory import run_measured

# Memory beside the part that is proportional to the files: the program itself with ONNX Runtime,
# and metrics of the maximum number of channels.
CONSTANT_BYTES = 192 << 20
FACTOR = 12


def save(path, nodes, initializers, rows):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, rows])],
        [helper.make_tensor_value_info(nodes[-1].output[0], TensorProto.FLOAT, None)],
        initializers,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, path)
    return path


def save_pair(folder, rows, channels, *, per_channel=False, nodes=1, steps=0, factor=1.0):
    """Returns one weight that `nodes` nodes use, each followed by `steps` factors. In the
    compressed file, the factors are part of the weights, and codes are `factor` times too
    large."""
    values = np.random.default_rng(0).standard_normal((rows, channels)).astype(np.float32)
    scale = np.float32(np.abs(values).max(axis=0 if per_channel else None) / 127)
    codes = np.clip(np.round(values / scale * factor), -127, 127).astype(np.int8)
    before, after = [], [helper.make_node("DequantizeLinear", ["q", "s"], ["w"], axis=1)]
    for i in range(nodes):
        product = helper.make_node("MatMul", ["x", "w"], [f"y{i}_0"], name=f"m{i}")
        before.append(product)
        after.append(product)
        for step in range(steps):
            inputs = [f"y{i}_{step}", "c"]
            before.append(helper.make_node("Mul", inputs, [f"y{i}_{step + 1}"], name=f"f{i}_{step}"))
    constants = [numpy_helper.from_array(values, "w")]
    if steps:
        constants.append(numpy_helper.from_array(np.float32([factor ** (1 / steps)]), "c"))
    quantized = [numpy_helper.from_array(codes, "q"), numpy_helper.from_array(scale, "s")]
    return (
        save(folder / "float.onnx", before, constants, rows),
        save(folder / "int8.onnx", after, quantized, rows),
    )


SHAPES = {
    "two weights a channel": dict(rows=2, channels=1_000_000, factor=2),
    "one weight a channel": dict(rows=1, channels=2_000_000, factor=2),
    "with a scale each": dict(rows=2, channels=1_000_000, per_channel=True, factor=2),
    "rounded and no more": dict(rows=2, channels=1_000_000),
    "as many as have figures": dict(rows=2, channels=180_000, factor=2),
    "one weight in many nodes": dict(rows=2, channels=20_000, nodes=1000, factor=2),
    "one weight with many factors": dict(rows=2, channels=20_000, nodes=300, steps=4, factor=2),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_channels_take_no_more_than_files_of_their_size_may(tmp_path, shape):
    files = save_pair(tmp_path, **SHAPES[shape])
    size = sum(path.stat().st_size for path in files)
    for flags in (["--samples", "0"], ["--samples", "0", "--logdir", tmp_path / "log"]):
        peak = run_measured([os.environ["COMPRESSION_BOARD"], "compare", *files, *flags], tmp_path)
        assert peak.returncode == 0, peak.stderr
        assert peak.bytes < CONSTANT_BYTES + FACTOR * size, f"{peak.bytes >> 20} MiB"


def test_layers_without_figures_by_channel_are_compared_as_a_whole_and_named(tmp_path):
    files = save_pair(tmp_path, rows=2, channels=1_000_000, factor=2)
    command = [os.environ["COMPRESSION_BOARD"], "compare", *files, "--json"]
    peak = run_measured(command, tmp_path)
    assert peak.returncode == 0, peak.stderr
    assert peak.bytes < CONSTANT_BYTES + FACTOR * sum(path.stat().st_size for path in files)
    result = json.loads(peak.stdout)
    (layer,) = result["layers"]
    assert (layer["level"], layer["cause"]) == ("red", "wrong_scale")
    assert layer["weight"]["channels"]["sqnr_db"] == []
    assert layer["weight"]["worst_channel"] is None
    assert layer["accumulated"]["sqnr_db"] == pytest.approx(0, abs=2)
    assert any("compared as a whole" in remark for remark in result["remarks"])


def test_all_channels_of_a_network_have_figures(compare, digits):
    result = compare(digits.fp32, digits.int8, "--data", digits.data)
    assert not any("compared as a whole" in remark for remark in result["remarks"])
    for layer in result["layers"]:
        for part in ("weight", "accumulated"):
            assert layer[part] is None or layer[part]["channels"]["sqnr_db"]


def save_swollen(path, weight, max_bytes):
    """Returns a model of a few hundred bytes that expands its input to `max_bytes`."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["y"], name="product"),
        helper.make_node("Expand", ["y", "shape"], ["wide"], name="swell"),
        helper.make_node("ReduceMean", ["wide"], ["mean"], keepdims=0, name="mean"),
    ]
    shape = np.array([max_bytes // weight.shape[1] // 4, weight.shape[1]], np.int64)
    constants = [numpy_helper.from_array(weight, "w"), numpy_helper.from_array(shape, "shape")]
    return save(path, nodes, constants, weight.shape[0])


@pytest.fixture
def swollen(tmp_path):
    weight = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    return [
        save_swollen(tmp_path / "before.onnx", weight, 4 << 30),
        save_swollen(tmp_path / "after.onnx", np.round(weight, 1), 4 << 30),
    ]


def compare_in_one_gigabyte(tmp_path, files, *flags):
    return run_measured(
        [os.environ["COMPRESSION_BOARD"], "compare", *files, *flags],
        tmp_path,
        limits={"RLIMIT_DATA": 1 << 30},
    )


def test_a_model_that_takes_more_memory_than_there_is_is_not_run(tmp_path, swollen):
    done = compare_in_one_gigabyte(tmp_path, swollen, "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert "before.onnx': it takes more memory than this process can get" in result["why_not_run"]
    assert [layer["name"] for layer in result["layers"]] == ["product"]
    assert done.bytes < CONSTANT_BYTES


def test_samples_that_were_asked_for_and_cannot_run_are_an_error(tmp_path, swollen):
    done = compare_in_one_gigabyte(tmp_path, swollen, "--samples", "1")
    assert done.returncode == 1
    assert "before.onnx': it takes more memory than this process can get" in done.stderr
    assert "--samples 0 (in Python, samples=0) compares weights alone" in done.stderr
    assert done.bytes < CONSTANT_BYTES
