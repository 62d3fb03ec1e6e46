"""Tests compare: rows about two model files, which pandas accepts unchanged."""

import os
from pathlib import Path

import numpy as np
import onnx
import pandas
import pytest
from compression_board import compare
from compression_board.model_comparison import LayerRow
from onnx import helper, numpy_helper

RUNTIME = Path(__file__).resolve().parents[2] / "build" / "ort" / "python" / "onnxruntime" / "capi"


def model(path, weights):
    """x -> MatMul -> Relu -> y; weights may be dequantized from codes."""
    nodes, constants = [], []
    if isinstance(weights, tuple):
        codes, scale = weights
        constants = [
            numpy_helper.from_array(codes, "w_quantized"),
            numpy_helper.from_array(np.float32(scale), "w_scale"),
        ]
        nodes = [helper.make_node("DequantizeLinear", ["w_quantized", "w_scale"], ["w"], "dq")]
    else:
        constants = [numpy_helper.from_array(weights, "w")]
    nodes += [
        helper.make_node("MatMul", ["x", "w"], ["sum"], "/fc/MatMul"),
        helper.make_node("Relu", ["sum"], ["y"], "/fc/Relu"),
    ]
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info("x", 1, ["n", 16])],
        [helper.make_tensor_value_info("y", 1, ["n", 8])],
        constants,
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(made, str(path))
    return path


@pytest.fixture
def pair(tmp_path):
    weights = np.random.default_rng(1).normal(0, 1, (16, 8)).astype(np.float32)
    scale = float(np.abs(weights).max() / 127)
    codes = np.round(weights / scale).astype(np.int8)
    fp32 = model(tmp_path / "fp32.onnx", weights)
    return fp32, model(tmp_path / "int8.onnx", (codes, scale * 0.5)), weights, codes * scale * 0.5


def columns_of(layer):
    """Returns the columns that a layer of the JSON gives, from its own keys; numbers of channels
    stay in the details."""
    prefixes = {"weight": "weight_", "local": "output_", "accumulated": "accumulated_"}
    for key, value in layer.items():
        if key in prefixes:
            metrics = {entry for entry in layer["weight"] if entry != "channels"}
            yield from (prefixes[key] + metric for metric in metrics)
        elif key == "saturation":
            yield from ("saturation_pairs", "saturated_pairs")
            yield from ("saturation_products", "saturated_products")
        elif key == "fixes":
            yield from ("fix" if name == "action" else "fix_" + name for name in value[0])
        else:
            yield key


def test_rows_say_all_that_the_json_says(pair):
    rows = compare(*pair[:2], samples=0)
    layer = rows.details["layers"][0]
    assert set(rows[0]) == set(columns_of(layer))
    assert set(rows[0]) == set(LayerRow.__annotations__)
    assert rows[0]["precision"] == layer["precision"] == "int8"
    assert rows[0]["weight_mean_shift_sigmas"] == layer["weight"]["mean_shift_sigmas"]
    assert rows[0]["useful_output_db"] is None  # No sample was run.


def test_rows_have_the_numbers_and_the_cause(pair):
    fp32, int8, x, y = pair
    rows = compare(fp32, str(int8), samples=0)
    assert [row["name"] for row in rows] == ["/fc/MatMul"]
    assert rows[0]["level"] == "red" and rows[0]["cause"] == "wrong_scale"
    want = 10 * np.log10((x**2).sum() / ((x - y) ** 2).sum())
    assert rows[0]["weight_sqnr_db"] == pytest.approx(want, rel=1e-5)
    assert rows[0]["accumulated_sqnr_db"] is None and rows.samples == 0
    assert rows[0]["fix"] and rows[0]["fix_sqnr_db"] > 30
    assert "/fc/MatMul" in rows.keep_float["onnxruntime"]
    assert sum(share["variant_bytes"] for share in rows.byte_shares) == int8.stat().st_size
    assert rows.why_not_run == "no samples were asked for"


def test_weights_are_compared_where_there_is_no_runtime_unless_samples_are_asked_for(
    pair, monkeypatch
):
    for variable in ("CB_ONNXRUNTIME_LIB", "VIRTUAL_ENV", "CONDA_PREFIX", "NODE_PATH"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    rows = compare(pair[0], pair[1])
    if rows.samples > 0:
        pytest.skip("the system has an ONNX Runtime")
    assert "pip install onnxruntime" in rows.why_not_run
    assert rows[0]["weight_sqnr_db"] is not None
    with pytest.raises(FileNotFoundError, match="samples=0"):
        compare(pair[0], pair[1], samples=5)


def test_pandas_takes_them(pair):
    table = pandas.DataFrame(compare(pair[0], pair[1], samples=0))
    assert list(table["cause"]) == ["wrong_scale"]
    assert table["weight_sqnr_db"].dtype == np.float64


@pytest.fixture
def runtime(monkeypatch):
    libraries = sorted(RUNTIME.glob("libonnxruntime.so*"))
    if not libraries and "CB_ONNXRUNTIME_LIB" not in os.environ:
        pytest.skip("no ONNX Runtime: scripts/fetch-onnxruntime gets it")
    if libraries:
        monkeypatch.setenv("CB_ONNXRUNTIME_LIB", str(libraries[0]))


def test_models_run_on_the_samples_given(pair, tmp_path, runtime):
    fp32, int8, x, y = pair
    inputs = np.random.default_rng(2).normal(0, 1, (5, 16)).astype(np.float32)
    np.save(tmp_path / "x.npy", inputs)
    rows = compare(fp32, int8, data=tmp_path / "x.npy", samples=4, logdir=tmp_path / "log")
    assert rows.samples == 4 and not rows.is_generated
    a, b = np.maximum(inputs[:4] @ x, 0), np.maximum(inputs[:4] @ y, 0)
    want = 10 * np.log10((a**2).sum() / ((a - b) ** 2).sum())
    assert rows[0]["accumulated_sqnr_db"] == pytest.approx(want, rel=1e-4)
    assert list((tmp_path / "log").glob("events.out.tfevents.*"))
    assert compare(fp32, int8, samples=1).is_generated


def test_restored_weights_are_measured_and_logged(pair, runtime, tmp_path):
    fp32, int8 = pair[:2]
    rows = compare(fp32, int8, samples=4, verify=5, logdir=tmp_path / "log")
    as_it_is, weights = rows.verified[:2]
    db = rows[0]["accumulated_sqnr_db"]
    assert as_it_is == {
        "restored": "nothing", "text": "as it is", "parts": [], "sqnr_db": db,
        "layer_sqnr_db": [db], "why_not": "",
    }  # fmt: skip
    assert weights["restored"] == "parts"
    assert weights["parts"] == [{"layer": "/fc/MatMul", "part": "weight"}]
    assert weights["sqnr_db"] is None and weights["why_not"] == ""  # No other layer was quantized.
    assert rows.verified[-1]["restored"] == "everything"
    (events,) = (tmp_path / "log").glob("events.out.tfevents.*")
    for tag in ("layers/fc/MatMul/restored_weight_gain_db/", "verified/sqnr_db/", "verified/runs/"):
        assert f"{fp32.stem}/{tag}{rows.details['variant_name']}".encode() in events.read_bytes()
    assert compare(fp32, int8, samples=4).verified == []
    assert compare(fp32, int8, samples=0, verify=1).details["why_not_verified"]


def test_made_up_samples_have_the_shapes_given(pair, runtime):
    fp32, int8, _, _ = pair
    found = compare(fp32, int8, shapes={"x": (7, 16)}, samples=2)
    assert found.input_shapes == {"x": [7, 16]} and found.is_generated
    assert compare(fp32, int8, samples=0).input_shapes == {}
    with pytest.raises(ValueError, match=r"input 'x' float32 \[n, 16\]"):
        compare(fp32, int8, shapes={"x": (7, 17)})
    with pytest.raises(ValueError, match="negative size"):
        compare(fp32, int8, shapes={"x": (-1, 16)})


def test_errors_say_what_to_do(pair, tmp_path):
    with pytest.raises(FileNotFoundError, match="none.onnx"):
        compare(tmp_path / "none.onnx", pair[1])
    with pytest.raises(ValueError, match="give 0"):
        compare(pair[0], pair[1], samples=-1)
    with pytest.raises(ValueError, match="verify is -1"):
        compare(pair[0], pair[1], verify=-1)
    (tmp_path / "text.onnx").write_text("hello")
    with pytest.raises(ValueError, match="text.onnx"):
        compare(pair[0], tmp_path / "text.onnx")
