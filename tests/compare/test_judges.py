"""Compares the numbers of compare with those of other programs, which also follow its advice."""

import ast

import numpy as np
import onnx
import onnxruntime
import pytest
from digits_models import Editor, Reader
from onnxruntime.quantization import qdq_loss_debug
from test_digits import layer_of, outlier_channel


def session(model, optimize=False):
    options = onnxruntime.SessionOptions()
    if not optimize:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    source = model if isinstance(model, bytes) else str(model)
    return onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])


@pytest.fixture(scope="module", params=["per_tensor", "per_channel"])
def int8(request, digits):
    path = digits.folder / f"judged_{request.param}.onnx"
    digits.quantize(digits.fp32, path, per_channel=request.param == "per_channel")
    return path


def sqnr(x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    return 10 * np.log10((x**2).sum() / ((x - y) ** 2).sum())


def test_weight_errors_are_those_of_onnxruntimes_debugger(digits, int8, compare):
    errors = qdq_loss_debug.compute_weight_error(
        qdq_loss_debug.create_weight_matching(str(digits.fp32), str(int8))
    )
    layers = {layer["name"]: layer for layer in compare(digits.fp32, int8, "--samples", 0)["layers"]}
    judged = 0
    for weights, error in errors.items():
        if not weights.endswith(".weight"):
            continue
        judged += 1
        ours = layers[layer_of(weights, digits.fp32)]["weight"]["sqnr_db"]
        assert ours == pytest.approx(float(error), abs=1e-4)
    assert judged == 4


def test_output_errors_are_those_of_onnxruntimes_debugger(digits, int8, compare, tmp_path):
    """Compared before and after each quantizer, and with the other model."""
    activations = []
    for model in (int8, digits.fp32):
        augmented = tmp_path / "augmented.onnx"
        qdq_loss_debug.modify_model_output_intermediate_tensors(str(model), str(augmented))
        activations.append(
            qdq_loss_debug.collect_activations(str(augmented), Reader(digits.images[:6]))
        )
    errors = qdq_loss_debug.compute_activation_error(
        qdq_loss_debug.create_activation_matching(*activations)
    )
    report = compare(digits.fp32, int8, "--data", digits.data, "--samples", 6)
    layers = {layer["name"]: layer for layer in report["layers"]}
    pool = errors[next(name for name in errors if name.startswith("/MaxPool"))]
    ours = layers["/MaxPool"]["accumulated"]["sqnr_db"]
    assert ours == pytest.approx(float(pool["xmodel_err"]), abs=1e-3)
    image = layers["image"]["local"]["sqnr_db"]
    assert image == pytest.approx(float(errors["image"]["qdq_err"]), abs=1e-3)
    logits = errors["logits"] if "logits" in errors else None
    if logits is not None:
        last = layers["/head/Gemm"]
        assert last["local"]["sqnr_db"] == pytest.approx(float(logits["qdq_err"]), abs=1e-3)
        assert last["accumulated"]["sqnr_db"] == pytest.approx(float(logits["xmodel_err"]), abs=1e-3)


def test_dequantized_weights_are_those_onnxruntime_computes_with(digits, int8, compare):
    model = onnx.load(str(int8))
    initializers = {tensor.name for tensor in model.graph.initializer}
    outputs = {
        node.input[0].removesuffix("_quantized"): node.output[0]
        for node in model.graph.node
        if node.op_type == "DequantizeLinear" and node.input[0].endswith("weight_quantized")
        and node.input[0] in initializers
    }
    assert len(outputs) == 4
    for name in outputs.values():
        model.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    values = session(model.SerializeToString()).run(
        list(outputs.values()), {"image": digits.images[:1]}
    )
    report = compare(digits.fp32, int8, "--samples", 0)
    layers = {layer["name"]: layer for layer in report["layers"]}
    fp32 = Editor(digits.fp32)
    for weights, dequantized in zip(outputs, values):
        ours = layers[layer_of(weights, digits.fp32)]["weight"]
        rows = dequantized.reshape(len(dequantized), -1)
        assert ours["channels"]["variant_min"] == pytest.approx(list(rows.min(1)), abs=1e-7)
        assert ours["channels"]["variant_max"] == pytest.approx(list(rows.max(1)), abs=1e-7)
        assert ours["sqnr_db"] == pytest.approx(sqnr(fp32.get(weights), dequantized), abs=1e-5)


def test_the_divergence_is_that_of_counts_in_the_quantizers_steps(digits, compare):
    layers = {
        layer["name"]: layer
        for layer in compare(digits.fp32, digits.int8, "--samples", 0)["layers"]
    }
    fp32, int8 = Editor(digits.fp32), Editor(digits.int8)
    for name in ("conv1", "conv2", "conv3", "head"):
        codes = int8.get(f"{name}.weight_quantized").astype(int).ravel()
        scale = int8.get(f"{name}.weight_scale").astype(np.float64)
        ours = np.clip(np.round(fp32.get(f"{name}.weight").ravel() / scale), -128, 127).astype(int)
        p, q = (np.bincount(side + 128, minlength=256) + 0.5 for side in (ours, codes))
        p, q = p / p.sum(), q / q.sum()
        want = (p * np.log(p / q)).sum()
        found = layers[layer_of(f"{name}.weight", digits.fp32)]["weight"]["divergence"]
        assert found == pytest.approx(want, abs=2e-3)


def test_saturated_pairs_are_those_numpy_counts(digits, compare):
    report = compare(digits.fp32, digits.int8, "--data", digits.data, "--samples", 5)
    head = next(layer for layer in report["layers"] if layer["op_type"] == "Gemm")
    model = onnx.load(str(digits.int8))
    gemm = next(node for node in model.graph.node if node.op_type == "Gemm")
    dequantize = next(node for node in model.graph.node if gemm.input[0] in node.output)
    codes_name = dequantize.input[0]
    model.graph.output.append(onnx.helper.make_empty_tensor_value_info(codes_name))
    codes = session(model.SerializeToString()).run([codes_name], {"image": digits.images[:5]})[0]
    weights = Editor(digits.int8).get("head.weight_quantized").astype(int)
    pairs = np.einsum("nkp,ckp->nckp", codes.astype(int).reshape(5, -1, 2), weights.reshape(10, -1, 2))
    sums = pairs.sum(3)
    assert head["saturation"]["pairs"] == sums.size
    assert head["saturation"]["saturated"] == ((sums > 32767) | (sums < -32768)).sum()


def test_bytes_add_up_to_the_files(digits, int8, compare):
    report = compare(digits.fp32, int8, "--samples", 0)
    assert sum(share["baseline_bytes"] for share in report["bytes"]) == digits.fp32.stat().st_size
    assert sum(share["variant_bytes"] for share in report["bytes"]) == int8.stat().st_size
    shares = {share["what"]: share for share in report["bytes"]}
    codes = Editor(int8)
    want = sum(codes.get(f"{name}.weight_quantized").nbytes for name in ("conv1", "conv2", "conv3", "head"))
    assert shares["weights, int8"]["variant_bytes"] == want
    assert shares["weights, float32"]["baseline_bytes"] == 4 * want


def test_advice_is_what_quantizers_take(digits, compare, tmp_path):
    """The list for ONNX Runtime keeps the layer in FP32, and no layer is red afterwards."""
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    # The outputs of the channel are small, so only weights are damaged.
    fp32 = outlier_channel(digits, channel=3, factor=500)
    broken = tmp_path / "broken.onnx"
    digits.quantize(fp32, broken)
    advice = compare(fp32, broken, "--data", digits.data)["keep_float"]
    for toolchain, snippet in advice.items():
        if toolchain != "neural_compressor_op_wise":
            ast.parse(snippet)
    call = ast.parse(advice["onnxruntime"]).body[0].value
    keywords = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
    quantize_static(
        str(fp32), str(tmp_path / "fixed.onnx"), Reader(digits.images[:100]),
        quant_format=QuantFormat.QDQ, activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8, **keywords,
    )
    report = compare(fp32, tmp_path / "fixed.onnx", "--data", digits.data)
    assert [layer["name"] for layer in report["layers"] if layer["level"] == "red"] == []
    kept = next(layer for layer in report["layers"] if layer["name"] == keywords["nodes_to_exclude"][0])
    assert kept["bits"] == 32
    # The cost of the fix is also named.
    assert {finding["rule"] for finding in report["lint"]} >= {"float_island"}
