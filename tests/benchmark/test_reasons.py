"""The reason why a variant is not faster is known in these models, and must be named with its
nodes.
"""

import models
import numpy as np
import pytest


def reasons(measure, baseline, variant):
    model = measure(baseline, variant, "--baseline", baseline, "--time", "1", "--no-memory", "--no-energy")
    (name,) = [key for key in model if isinstance(model[key], dict) and model[key].get("file") == variant.name]
    if model[name]["verdict"] == "faster":
        pytest.skip("this machine runs the planted model faster")
    times = model[name]["operator_times_us"]
    assert sum(time["variant"] for time in times.values()) > 0
    return {reason["cause"]: reason for reason in model[name].get("why_slower", [])}


class Samples:
    def __init__(self, shape):
        self.rest = iter([{"x": np.random.default_rng(i).normal(size=shape).astype("f4")} for i in range(4)])

    def get_next(self):
        return next(self.rest, None)


def quantize_static(baseline, variant, shape):
    from onnxruntime.quantization import QuantFormat, QuantType
    from onnxruntime.quantization import quantize_static as quantize

    quantize(str(baseline), str(variant), Samples(shape), quant_format=QuantFormat.QDQ,
             activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)  # fmt: skip
    return variant


def test_dynamic_quantization_of_a_small_model(tmp_path, measure):
    from onnxruntime.quantization import quantize_dynamic

    fp32 = models.dense(tmp_path / "net_fp32.onnx", [64, 64, 64, 10])
    int8 = tmp_path / "net_int8.onnx"
    quantize_dynamic(str(fp32), str(int8))
    found = reasons(measure, fp32, int8)
    reason = found["dynamic_quantization"]
    assert any("fc0" in node or "fc1" in node for node in reason["nodes"])
    assert "too_small" in found
    assert reason["share"] > 0.3


def test_an_operator_without_an_int8_kernel_in_the_middle(tmp_path, measure):
    fp32 = models.convolutions(tmp_path / "net_fp32.onnx", activation="Elu", channels=8)
    int8 = quantize_static(fp32, tmp_path / "net_int8.onnx", [1, 3, 28, 28])
    reason = reasons(measure, fp32, int8)["float_island"]
    assert set(reason["nodes"]) == {"elu0", "elu1", "elu2"}
    assert "Elu" in reason["explanation"]


def test_per_channel_weights_on_an_operator_that_does_not_take_them(tmp_path, measure):
    fp32 = models.transposed_convolution(tmp_path / "net_fp32.onnx", quantized=False)
    int8 = models.transposed_convolution(tmp_path / "net_int8.onnx", quantized=True)
    reason = reasons(measure, fp32, int8)["per_channel_weights"]
    assert reason["nodes"] == ["up"]
    assert "per tensor" in reason["explanation"]


def test_quantizers_that_cannot_be_fused(tmp_path, measure):
    fp32 = models.unfused(tmp_path / "net_fp32.onnx", quantized=False)
    int8 = models.unfused(tmp_path / "net_int8.onnx", quantized=True)
    reason = reasons(measure, fp32, int8)["unfused_qdq"]
    assert any("conv" in node for node in reason["nodes"])
    assert reason["share"] > 0.3


def test_a_variant_in_which_nothing_is_quantized(tmp_path, measure):
    fp32 = models.dense(tmp_path / "net_fp32.onnx", [64, 64, 10])
    model = models.onnx.load(str(fp32))
    for tensor in model.graph.initializer:
        weights = models.numpy_helper.to_array(tensor)
        tensor.CopyFrom(models.constant(tensor.name, np.where(np.abs(weights) < 0.1, 0, weights).astype("f4")))
    pruned = tmp_path / "net_pruned50.onnx"
    models.onnx.save(model, str(pruned))
    found = reasons(measure, fp32, pruned)
    assert list(found) == ["not_quantized"]
    assert "the same as those of the baseline" in found["not_quantized"]["explanation"]


def test_weights_in_blocks(tmp_path, measure):
    fp32 = models.weight_only(tmp_path / "net_fp32.onnx", kind="float")
    int4 = models.weight_only(tmp_path / "net_int4.onnx", kind="blocks")
    reason = reasons(measure, fp32, int4)["weight_only_blocks"]
    assert len(reason["nodes"]) == 2 and "in every run" in reason["explanation"]


def test_weights_that_only_have_a_dequantizelinear(tmp_path, measure):
    fp32 = models.weight_only(tmp_path / "net_fp32.onnx", kind="float")
    int8 = models.weight_only(tmp_path / "net_int8.onnx", kind="qdq")
    found = reasons(measure, fp32, int8)
    assert len(found["weight_only_qdq"]["nodes"]) == 2
    assert "unfused_qdq" not in found and "float_island" not in found


def test_operators_that_were_added_explain_what_nothing_else_explains(tmp_path, measure):
    fp32 = models.dense(tmp_path / "net_fp32.onnx", [64, 64, 10])
    more = models.with_operator(fp32, tmp_path / "net_more.onnx", "Erf", count=8)
    found = reasons(measure, fp32, more)
    assert list(found) == ["grown_operators"]
    assert "Erf (not in the baseline, 8 nodes, " in found["grown_operators"]["explanation"]
    assert found["grown_operators"]["nodes"][0].startswith("added")


def test_a_variant_of_the_same_operators_has_no_reason(tmp_path, measure):
    fp32 = models.dense(tmp_path / "net_fp32.onnx", [64, 64, 10])
    other = models.dense(tmp_path / "net_other.onnx", [64, 64, 10])
    assert reasons(measure, fp32, other) == {}
