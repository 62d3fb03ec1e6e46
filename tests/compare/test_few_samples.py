"""Causes are named correctly after one, two or many samples: a dense layer has one value per
channel and sample.
"""

import numpy as np
import onnx
import pytest
from digits_models import Editor, Reader
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

INPUTS, HIDDEN = 32, 64


class Dense:
    """Returns two dense layers, calibrated on the samples that they are run on."""

    def __init__(self, folder, bias, overrides):
        random = np.random.default_rng(3)
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
        self.fp32, self.int8 = folder / "fp32.onnx", folder / "int8.onnx"
        onnx.save(model, str(self.fp32))
        samples = random.normal(0, 1, (64, INPUTS)).astype(np.float32)
        quantize_static(
            str(self.fp32), str(self.int8), Reader(samples), quant_format=QuantFormat.QDQ,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
            extra_options={"TensorQuantOverrides": overrides},
        )  # fmt: skip
        self.data = folder / "samples.npz"
        np.savez(self.data, image=samples[:, None])

    def shift_bias(self, channels, offset):
        int8 = Editor(self.int8)
        codes, scale = int8.get("b1_quantized"), int8.get("b1_quantized_scale")
        codes[channels] += np.round(offset / scale).astype(np.int32)
        int8.set("b1_quantized", codes)
        int8.save(self.int8)


@pytest.fixture(scope="module")
def clipped(tmp_path_factory):
    """Two channels of the first layer always exceed the range of its codes."""
    bias = np.zeros(HIDDEN)
    bias[[7, 44]] = 5
    to_3 = {"quant_type": QuantType.QUInt8, "rmin": np.float32(0), "rmax": np.float32(3)}
    return Dense(tmp_path_factory.mktemp("clipped"), bias, {"active": [to_3]})


@pytest.mark.parametrize("samples", [1, 2, 4, 16, 64])
def test_what_is_cut_off_is_called_that_however_many_samples_show_it(clipped, compare, samples):
    report = compare(clipped.fp32, clipped.int8, "--data", clipped.data, "--samples", samples)
    worst = report["layers"][0]
    assert worst["name"] == "/hidden/Gemm"
    assert (worst["level"], worst["cause"], worst["part"]) == ("red", "over_clipped", "output")
    assert "lie outside [" in worst["explanation"]


def test_few_samples_are_remarked_on(clipped, compare):
    def remarks(samples):
        return compare(
            clipped.fp32, clipped.int8, "--data", clipped.data, "--samples", samples
        )["remarks"]  # fmt: skip

    assert "only 1 sample:" in remarks(1)[0]
    assert "only 4 samples:" in remarks(4)[0]
    assert remarks(16) == []
    assert remarks(0) == []  # Weights need no samples.


@pytest.mark.parametrize("samples", [1, 2, 16])
def test_a_shifted_bias_is_found(tmp_path, compare, samples):
    dense = Dense(tmp_path, np.zeros(HIDDEN), {})
    dense.shift_bias(range(HIDDEN), 1)
    worst = compare(dense.fp32, dense.int8, "--data", dense.data, "--samples", samples)["layers"][0]
    assert (worst["name"], worst["cause"], worst["part"]) == ("/hidden/Gemm", "bias_shift", "bias")


@pytest.mark.parametrize("samples", [2, 16])
def test_the_bias_of_a_channel_that_never_fires_does_no_harm(tmp_path, compare, samples):
    bias = np.zeros(HIDDEN)
    bias[7] = -50
    dense = Dense(tmp_path, bias, {})
    dense.shift_bias([7], 10)
    report = compare(dense.fp32, dense.int8, "--data", dense.data, "--samples", samples)
    assert [layer["name"] for layer in report["layers"] if layer["level"] != "green"] == []
