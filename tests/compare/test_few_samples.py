"""Causes named after one, two or many samples: a dense layer has one value of each channel in each."""

import numpy as np
import onnx
import pytest
from digits_models import Reader
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

INPUTS, HIDDEN = 32, 64


@pytest.fixture(scope="module")
def dense(tmp_path_factory):
    """Two dense layers. Two channels of the first are always beyond the range of its codes."""
    folder = tmp_path_factory.mktemp("dense")
    random = np.random.default_rng(3)
    bias = np.zeros(HIDDEN)
    bias[[7, 44]] = 5
    weights = {"w1": random.normal(0, 0.2, (HIDDEN, INPUTS)), "b1": bias,
               "w2": random.normal(0, 0.2, (10, HIDDEN))}  # fmt: skip
    nodes = [
        helper.make_node("Gemm", ["image", "w1", "b1"], ["hidden"], "/hidden/Gemm", transB=1),
        helper.make_node("Relu", ["hidden"], ["active"], "/Relu"),
        helper.make_node("Gemm", ["active", "w2"], ["y"], "/head/Gemm", transB=1),
    ]
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["n", INPUTS])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 10])],
        [numpy_helper.from_array(v.astype(np.float32), name) for name, v in weights.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(folder / "fp32.onnx"))
    samples = random.normal(0, 1, (64, INPUTS)).astype(np.float32)
    overrides = {"active": [{"quant_type": QuantType.QUInt8, "rmin": np.float32(0),
                             "rmax": np.float32(3)}]}  # fmt: skip
    quantize_static(
        str(folder / "fp32.onnx"), str(folder / "int8.onnx"), Reader(samples),
        quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8, extra_options={"TensorQuantOverrides": overrides},
    )  # fmt: skip
    np.savez(folder / "samples.npz", image=samples[:, None])
    return folder


@pytest.mark.parametrize("samples", [1, 2, 4, 16, 64])
def test_what_is_cut_off_is_called_that_however_many_samples_show_it(dense, compare, samples):
    report = compare(dense / "fp32.onnx", dense / "int8.onnx",
                     "--data", dense / "samples.npz", "--samples", samples)  # fmt: skip
    worst = report["layers"][0]
    assert worst["name"] == "/hidden/Gemm"
    assert (worst["level"], worst["cause"], worst["part"]) == ("red", "over_clipped", "output")
    assert "beyond the last code" in worst["explanation"]
