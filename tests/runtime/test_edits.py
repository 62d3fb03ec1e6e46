"""Edits a quantized model: removes its quantizers and restores the original weights. The onnx
package accepts the result, and ONNX Runtime's Python package computes the original's outputs."""

import os
import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import Reader
from onnx import numpy_helper
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static


def edit(model, edited, *edits):
    return subprocess.run(
        [os.environ["EDIT_DUMP"], str(model), str(edited), *map(str, edits)],
        capture_output=True, text=True, timeout=60,
    )


def quantized(folder, fp32, images, per_channel):
    int8 = folder / f"int8_{per_channel}.onnx"
    quantize_static(
        str(fp32), str(int8), Reader(images), quant_format=QuantFormat.QDQ,
        per_channel=per_channel, activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8,
    )
    return int8


def answers(model, images):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(model), options, ["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: image[None]})[0] for image in images])


def restoring(int8, fp32, folder):
    """Returns the edits that undo all quantization of a model with QuantizeLinear and
    DequantizeLinear.
    """
    model = onnx.load(str(int8))
    constants = {t.name: numpy_helper.to_array(t) for t in onnx.load(str(fp32)).graph.initializer}
    made_by = {node.output[0]: node for node in model.graph.node}
    ours = {node.output[0] for node in onnx.load(str(fp32)).graph.node if node.op_type == "Relu"}
    edits = []
    for node in model.graph.node:
        if node.op_type != "DequantizeLinear":
            continue
        quantize = made_by.get(node.input[0])
        if quantize is None:
            name = node.output[0].removesuffix("_DequantizeLinear_Output")
            np.save(folder / f"{len(edits)}.npy", constants[name])
            edits += ["constant", node.output[0], folder / f"{len(edits)}.npy"]
        elif quantize.input[0] in ours and made_by[quantize.input[0]].op_type != "Relu":
            # Only the range of the quantizer was left.
            edits += ["clamp", node.output[0], quantize.input[0], 0, 3.4e38]
        else:
            edits += ["pass", node.output[0], quantize.input[0]]
    return edits


@pytest.mark.parametrize("per_channel", [False, True], ids=["per_tensor", "per_channel"])
def test_a_model_without_its_quantization_gives_the_originals_answers(
    folder, fp32, images, per_channel
):
    int8 = quantized(folder, fp32, images, per_channel)
    edits = restoring(int8, fp32, folder)
    assert {"constant", "pass", "clamp"} <= set(map(str, edits))
    edited = folder / f"edited_{per_channel}.onnx"
    result = edit(int8, edited, *edits)
    assert result.returncode == 0, result.stderr
    onnx.checker.check_model(str(edited), full_check=True)
    want = answers(fp32, images)
    assert np.abs(answers(int8, images) - want).max() > 1e-3
    np.testing.assert_allclose(answers(edited, images), want, rtol=1e-5, atol=1e-6)


def test_what_is_not_edited_stays_as_it_was(folder, fp32, images):
    int8 = quantized(folder, fp32, images, False)
    before = onnx.load(str(int8))
    last = before.graph.node[-1]
    quantize = next(node for node in before.graph.node if last.input[0] in node.output)
    edited = folder / "one.onnx"
    result = edit(int8, edited, "pass", last.output[0], quantize.input[0])
    assert result.returncode == 0, result.stderr
    after = onnx.load(str(edited))
    assert after.graph.node[-1].op_type == "Identity"
    after.graph.node[-1].CopyFrom(last)
    assert after.SerializeToString(deterministic=True) == before.SerializeToString(deterministic=True)


def test_weights_in_a_file_of_their_own_stay_there(folder, fp32, images):
    before = folder / "external_before.onnx"
    onnx.save(
        onnx.load(str(fp32)), str(before), save_as_external_data=True, location="before.bin",
        size_threshold=0,
    )
    model = onnx.load(str(fp32))
    weight = next(tensor for tensor in model.graph.initializer if len(tensor.dims) == 4)
    np.save(folder / "zeros.npy", 0 * numpy_helper.to_array(weight))
    edited = folder / "external_after.onnx"
    result = edit(before, edited, "constant", weight.name, folder / "zeros.npy")
    assert result.returncode == 0, result.stderr
    onnx.checker.check_model(str(edited), full_check=True)
    weight.CopyFrom(numpy_helper.from_array(0 * numpy_helper.to_array(weight), weight.name))
    onnx.save(model, str(folder / "zeros.onnx"))
    np.testing.assert_array_equal(
        answers(edited, images), answers(folder / "zeros.onnx", images)
    )
