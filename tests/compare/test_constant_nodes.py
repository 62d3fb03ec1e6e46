"""Weights that are Constant nodes, as some exporters write them: ONNX Runtime's quantizer treats
them as activations and rounds them at run time."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantFormat, QuantType, quantize_dynamic, quantize_static

from digits_models import Reader


@pytest.fixture(scope="module")
def fp32(digits, tmp_path_factory):
    model = onnx.load(str(digits.fp32))
    constants = [
        helper.make_node("Constant", [], [tensor.name], name=f"{tensor.name}_node", value=tensor)
        for tensor in model.graph.initializer
    ]
    nodes = list(model.graph.node)
    for node in nodes:
        if node.op_type in ("Conv", "Gemm"):
            del node.input[2:]  # The quantizer does not support a bias that is not an initializer.
    del model.graph.initializer[:], model.graph.node[:]
    model.graph.node.extend(constants + nodes)
    path = tmp_path_factory.mktemp("constants") / "digits.onnx"
    onnx.save(model, str(path))
    return path


def static(quant_format):
    def quantize(fp32, path, images):
        quantize_static(
            str(fp32), str(path), Reader(images), quant_format=quant_format,
            activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
        )  # fmt: skip

    return quantize


WAYS = {
    "QDQ": static(QuantFormat.QDQ),
    "QOperator": static(QuantFormat.QOperator),
    "dynamic": lambda fp32, path, images: quantize_dynamic(str(fp32), str(path)),
}


def codes_of(path, weight):
    """Returns ONNX Runtime's codes of a weight, with their scale and zero point."""
    model = onnx.load(str(path))
    (quantizer,) = [node for node in model.graph.node if weight in node.input and "Quantize" in node.op_type]
    wanted = [quantizer.output[0], *(quantizer.output[1:] or quantizer.input[1:])]
    made = {name for node in model.graph.node for name in node.output}
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    del model.graph.output[:]
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in wanted if name in made)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    image = np.zeros((1, 1, 8, 8), np.float32)
    found = dict(zip([output.name for output in session.get_outputs()], session.run(None, {"image": image})))
    return [found[name] if name in found else stored[name] for name in wanted]


@pytest.mark.parametrize("way", WAYS)
def test_what_is_rounded_at_run_time_is_compared_as_it_will_be(way, fp32, digits, compare, tmp_path):
    path = tmp_path / "int8.onnx"
    WAYS[way](fp32, path, digits.images[:100])
    report = compare(fp32, path, "--data", digits.data)
    layers = {layer["name"]: layer for layer in report["layers"] if layer["weight"]}
    assert report["baseline_only"] == [] and len(layers) == 4
    model = onnx.load(str(fp32))
    weights = {node.output[0]: numpy_helper.to_array(node.attribute[0].t) for node in model.graph.node[:8]}
    checked = 0
    for node in model.graph.node:
        if node.op_type not in ("Conv", "Gemm", "MatMul"):
            continue
        x = weights[node.input[1]].astype(np.float64)
        if way == "dynamic" and node.op_type == "Gemm":
            continue  # Not quantized.
        codes, scale, zero_point = codes_of(path, node.input[1])
        error = x - (codes.astype(np.float64) - zero_point) * scale
        sqnr = 10 * np.log10((x**2).sum() / (error**2).sum())
        assert layers[node.name]["weight"]["sqnr_db"] == pytest.approx(sqnr, abs=1e-6)
        checked += 1
    assert checked >= 2
    (finding,) = [each for each in report["lint"] if each["rule"] == "float_weights"]
    assert f"here and in {checked - 1} other layer" in finding["explanation"]
