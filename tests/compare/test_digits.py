"""compare lists the damaged layer of a real network first, with its cause, and no undamaged layer.
"""

import json
import struct
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import run_compare
from digits_models import LAYERS, Editor
from onnx import numpy_helper


def layer_of(weights, fp32):
    """Returns the node of the fp32 model that uses these weights."""
    return next(node.name for node in onnx.load(str(fp32)).graph.node if weights in node.input)


def logits(model, digits):
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    return session.run(None, {"image": digits.images})[0].astype(np.float64)


def accuracy(model, digits):
    return (logits(model, digits).argmax(1) == digits.labels).mean()


def output_db(fp32, int8, digits):
    """Returns the SQNR of the network's output."""
    x, y = logits(fp32, digits), logits(int8, digits)
    return 10 * np.log10((x**2).sum() / ((x - y) ** 2).sum())


@pytest.mark.parametrize("per_channel", [False, True])
def test_nothing_is_red_in_a_good_model(digits, compare, per_channel):
    assert accuracy(digits.fp32, digits) > 0.9
    int8 = digits.folder / f"good_{per_channel}.onnx"
    digits.quantize(digits.fp32, int8, per_channel=per_channel)
    report = compare(digits.fp32, int8, "--data", digits.data)
    assert not report["is_generated"] and report["samples"] == 20
    assert {layer["op_type"] for layer in report["layers"]} >= {"Conv", "Gemm"}
    assert [layer for layer in report["layers"] if layer["level"] == "red"] == []
    assert report["baseline_only"] == [] and report["variant_only"] == []
    assert all(layer["accumulated"]["sqnr_db"] > 20 for layer in report["layers"])


def test_a_broken_scale_is_named_first(digits, compare):
    model = Editor(digits.int8)
    model.set("conv2.weight_scale", model.get("conv2.weight_scale") * np.float32(0.5))
    broken = model.save(digits.folder / "broken_scale.onnx")
    report = compare(digits.fp32, broken, "--data", digits.data)
    first = report["layers"][0]
    assert first["name"] == layer_of("conv2.weight", digits.fp32)
    assert (first["level"], first["cause"], first["part"]) == ("red", "wrong_scale", "weight")
    assert "0.5" in first["explanation"]
    assert [layer["name"] for layer in report["layers"] if layer["level"] == "red"] == [first["name"]]
    assert first["fixes"][0]["sqnr_db"] > 30
    # Later layers have errors, but are not the cause.
    victims = [layer for layer in report["layers"] if layer["depth"] > first["depth"]]
    assert min(layer["accumulated"]["sqnr_db"] for layer in victims) < 15
    assert first["name"] in report["keep_float"]["onnxruntime"]


LARGEST = 14  # The largest channel of conv2.


def outlier_channel(digits, channel=LARGEST, factor=400):
    """Makes one channel large without changing the function: the next layer's weights compensate
    for it. With a factor of 60, at least 98 of 100 digits stay the same.
    """
    model = Editor(digits.fp32)
    for name in ("conv2.weight", "conv2.bias"):
        values = model.get(name)
        values[channel] *= factor
        model.set(name, values)
    following = model.get("conv3.weight")
    following[:, channel] /= factor
    model.set("conv3.weight", following)
    return model.save(digits.folder / "outlier_fp32.onnx")


def sound_output_db(digits):
    sound = digits.folder / "sound_uint8.onnx"
    digits.quantize(digits.fp32, sound, saturates=False)
    return output_db(digits.fp32, sound, digits)


def test_an_outlier_channel_under_one_scale_is_named_first(digits, compare):
    fp32 = outlier_channel(digits)
    int8 = digits.folder / "outlier_int8.onnx"
    digits.quantize(fp32, int8, saturates=False)
    assert output_db(digits.fp32, fp32, digits) > 100
    assert output_db(fp32, int8, digits) < sound_output_db(digits) - 10
    layers = compare(fp32, int8, "--data", digits.data)["layers"]
    first = layers[0]
    assert first["name"] == layer_of("conv2.weight", fp32)
    # The pooling behind it has the same large channel in its output.
    assert {layer["name"] for layer in layers if layer["level"] == "red"} <= {first["name"], "/MaxPool"}
    assert (first["level"], first["cause"], first["part"]) == ("red", "channel_spread", "weight")
    assert f"channel {LARGEST} " in first["explanation"]
    # The first fix is a scale for each channel, and has the predicted effect on the weights.
    assert first["fixes"][0]["action"] == "one scale per output channel"
    half_fixed = digits.folder / "outlier_fixed.onnx"
    digits.quantize(fp32, half_fixed, per_channel=True, saturates=False)
    then = compare(fp32, half_fixed, "--data", digits.data)["layers"][0]
    assert then["name"] == first["name"]
    assert then["weight"]["sqnr_db"] == pytest.approx(first["fixes"][0]["sqnr_db"], abs=1)
    # The output has the same channels and a single scale, so the results are hardly better.
    assert "besides, in its output: one scale" in first["explanation"]
    assert (then["level"], then["cause"], then["part"]) == ("red", "channel_spread", "output")
    assert then["local"]["sqnr_db"] > 30 > then["useful_output_db"]
    assert output_db(fp32, half_fixed, digits) < output_db(fp32, int8, digits) + 3
    # The original network is the equalized one.
    equalize = then["fixes"][0]
    assert equalize["action"] == "equalize the output's channels with the layers that follow"
    fixed = digits.folder / "outlier_equalized.onnx"
    digits.quantize(digits.fp32, fixed, per_channel=True, saturates=False)
    layers = {x["name"]: x for x in compare(digits.fp32, fixed, "--data", digits.data)["layers"]}
    assert [layer for layer in layers.values() if layer["level"] == "red"] == []
    assert layers[first["name"]]["useful_output_db"] == pytest.approx(equalize["sqnr_db"], abs=4)


def test_an_outlier_channel_is_red_where_it_hurts(digits, compare):
    """Channel 3 is so small that its multiple hardly affects the others. With a factor of 60, no
    channel changes more than two of a hundred digits.
    """
    int8, sound_db = digits.folder / "some_int8.onnx", sound_output_db(digits)
    for channel, factor in [(c, 400) for c in range(16)] + [(c, 60) for c in range(0, 16, 4)]:
        fp32 = outlier_channel(digits, channel, factor)
        digits.quantize(fp32, int8, saturates=False)
        first, *others = compare(fp32, int8, "--data", digits.data)["layers"]
        lost_db = sound_db - output_db(fp32, int8, digits)
        assert first["name"] == layer_of("conv2.weight", fp32), channel
        assert first["cause"] == "channel_spread", channel
        assert first["level"] == ("red" if lost_db > 30 else "amber"), (channel, factor, lost_db)
        assert {layer["name"] for layer in others if layer["level"] == "red"} <= {"/MaxPool"}


def test_quantizers_that_get_too_little_are_not_to_blame(digits, compare):
    """Most of conv2 is rounded to zero, and later quantization steps are too large for the
    remaining values.
    """
    fp32 = outlier_channel(digits, channel=3, factor=2000)
    int8 = digits.folder / "starved.onnx"
    digits.quantize(fp32, int8)
    layers = compare(fp32, int8, "--data", digits.data)["layers"]
    red = [layer["name"] for layer in layers if layer["level"] == "red"]
    assert red == [layer_of("conv2.weight", fp32)]


def test_numbers_agree_with_numpy(digits, compare):
    report = compare(digits.fp32, digits.int8, "--data", digits.data, "--samples", 7)
    layers = {layer["name"]: layer for layer in report["layers"]}
    fp32, int8 = Editor(digits.fp32), Editor(digits.int8)
    for name in ("conv1", "conv2", "conv3", "head"):
        x = fp32.get(f"{name}.weight").astype(np.float64)
        scale = int8.get(f"{name}.weight_scale").astype(np.float64)
        y = int8.get(f"{name}.weight_quantized") * scale
        ours = layers[layer_of(f"{name}.weight", digits.fp32)]["weight"]
        error, signal = ((x - y) ** 2), x**2
        rows = tuple(range(1, x.ndim))
        by_channel = 10 * np.log10(signal.sum(rows) / error.sum(rows))
        assert ours["sqnr_db"] == pytest.approx(10 * np.log10(signal.sum() / error.sum()), rel=1e-6)
        assert ours["worst_channel_sqnr_db"] == pytest.approx(by_channel.min(), rel=1e-6)
        assert ours["worst_channel"] == by_channel.argmin()
        assert ours["mse"] == pytest.approx(error.mean(), rel=1e-6)
        cosine = (x * y).sum() / np.sqrt(signal.sum() * (y**2).sum())
        assert ours["cosine"] == pytest.approx(cosine, abs=1e-9)
        assert ours["rmse_steps"] == pytest.approx(np.sqrt(error.mean()) / scale, rel=1e-5)
        assert ours["used_codes"] == len(np.unique(y / scale))


def test_accumulated_error_agrees_with_numpy(digits, compare):
    report = compare(digits.fp32, digits.int8, "--data", digits.data, "--samples", 7)
    last = max(report["layers"], key=lambda layer: layer["depth"])
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    x, y = (
        onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        ).run(["logits"], {"image": digits.images[:7]})[0].astype(np.float64)
        for model in (digits.fp32, digits.int8)
    )
    sqnr = 10 * np.log10((x**2).sum() / ((x - y) ** 2).sum())
    assert last["accumulated"]["sqnr_db"] == pytest.approx(sqnr, rel=1e-5)
    assert last["accumulated"]["mse"] == pytest.approx(((x - y) ** 2).mean(), rel=1e-5)


def test_renamed_layers_are_found_by_their_weights(digits, compare):
    model = onnx.load(str(digits.int8))
    names = {tensor.name: f"t{i}" for i, tensor in enumerate(model.graph.initializer)}
    for tensor in model.graph.initializer:
        tensor.name = names[tensor.name]
    for i, node in enumerate(model.graph.node):
        node.name = f"n{i}"
        node.input[:] = [names.get(name, name) for name in node.input]
    path = digits.folder / "renamed.onnx"
    onnx.save(model, str(path))
    report = compare(digits.fp32, path, "--data", digits.data)
    weighted = [layer for layer in report["layers"] if layer["weight"]]
    assert len(weighted) == 4 and {layer["paired_by"] for layer in weighted} == {"content"}
    assert all(layer["weight"]["sqnr_db"] > 30 for layer in weighted)


def test_a_file_of_weights_is_compared_with_a_network(digits, compare, tmp_path):
    """Writes PyTorch's own layout in safetensors, with names of another program."""
    fp32 = Editor(digits.fp32)
    header, data = {}, b""
    for name in LAYERS:
        values = fp32.get(f"{name}.weight")
        place = [len(data), len(data) + values.nbytes]
        header[f"stem.{name}.kernel"] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": place}
        data += values.tobytes()
    text = json.dumps(header).encode()
    path = tmp_path / "weights.safetensors"
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    report = compare(path, digits.int8)
    assert report["samples"] == 0 and "weights.safetensors" in report["why_not_run"]
    assert {layer["paired_by"] for layer in report["layers"]} == {"content"}
    assert len(report["layers"]) == 4
    networks = compare(digits.fp32, digits.int8, "--samples", 0)["layers"]
    assert sorted(layer["weight"]["sqnr_db"] for layer in report["layers"]) == pytest.approx(
        sorted(layer["weight"]["sqnr_db"] for layer in networks)
    )


def test_the_operators_of_the_other_format(digits, compare):
    from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

    import digits_models

    path = digits.folder / "qoperator.onnx"
    quantize_static(
        str(digits.fp32), str(path), digits_models.Reader(digits.images[:50]),
        quant_format=QuantFormat.QOperator, activation_type=QuantType.QUInt8,
        weight_type=QuantType.QInt8,
    )
    report = compare(digits.fp32, path, "--data", digits.data)
    weighted = [layer for layer in report["layers"] if layer["weight"]]
    assert len(weighted) == 4
    assert [layer for layer in report["layers"] if layer["level"] == "red"] == []
    assert all(layer["accumulated"]["sqnr_db"] > 20 for layer in weighted)


def test_sums_of_codes_are_compared_where_they_have_a_scale(digits, compare):
    """Quantizes dynamically: ConvInteger and MatMulInteger, which later nodes scale."""
    from onnxruntime.quantization import quantize_dynamic

    path = digits.folder / "dynamic.onnx"
    quantize_dynamic(str(digits.fp32), str(path))
    report = compare(digits.fp32, path, "--data", digits.data)
    assert len([layer for layer in report["layers"] if layer["weight"]]) == 4
    assert [layer for layer in report["layers"] if layer["level"] == "red"] == []
    outputs = [layer["accumulated"] for layer in report["layers"] if layer["weight"]]
    assert all(output["sqnr_db"] > 20 for output in outputs)
    last = max(report["layers"], key=lambda layer: layer["depth"])
    sessions = [
        onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        for model in (digits.fp32, path)
    ]
    # Scales depend on each sample.
    x, y = (
        np.concatenate([session.run(["logits"], {"image": image[None]})[0] for image in digits.images[:20]])
        for session in sessions
    )
    sqnr = 10 * np.log10((x**2).sum() / ((x - y) ** 2).sum())
    assert last["accumulated"]["sqnr_db"] == pytest.approx(sqnr, abs=0.1)


def test_channels_that_training_gave_up_are_no_damage(digits, compare, tmp_path):
    """Weights that are tiny beside the others round to zero in every quantizer, which is not
    damage.
    """
    model = Editor(digits.fp32)
    weights = model.get("conv2.weight")
    weights[3] *= 1e-12
    weights[9] *= 1e-38
    model.set("conv2.weight", weights)
    fp32 = model.save(tmp_path / "given_up.onnx")
    for per_channel in (False, True):
        int8 = tmp_path / f"{per_channel}.onnx"
        digits.quantize(fp32, int8, per_channel=per_channel)
        report = compare(fp32, int8, "--data", digits.data)
        assert [layer["name"] for layer in report["layers"] if layer["level"] == "red"] == []


def test_text_reads_well(digits):
    result = run_compare(digits.fp32, digits.int8, "--data", digits.data, "--top", 2)
    assert result.returncode == 0 and result.stderr == ""
    assert " compared: 0 red, " in result.stdout
    assert "20 samples: images.npz" in result.stdout
    assert "better layers" in result.stdout
    generated = run_compare(digits.fp32, digits.int8)
    assert "Samples are random data" in generated.stdout


def test_what_cannot_be_compared_is_said(digits, tmp_path):
    missing = run_compare(tmp_path / "none.onnx", digits.int8)
    assert missing.returncode == 1 and "none.onnx" in missing.stderr and missing.stdout == ""
    other = onnx.helper.make_model(
        onnx.helper.make_graph(
            [onnx.helper.make_node("MatMul", ["x", "w"], ["y"], "only")],
            "other",
            [onnx.helper.make_tensor_value_info("x", 1, [1, 2])],
            [onnx.helper.make_tensor_value_info("y", 1, [1, 2])],
            [numpy_helper.from_array(np.eye(2, dtype=np.float32), "w")],
        )
    )
    onnx.save(other, str(tmp_path / "other.onnx"))
    unrelated = run_compare(digits.fp32, tmp_path / "other.onnx")
    assert unrelated.returncode == 1
    assert "no layer of" in unrelated.stderr and "two files of one model" in unrelated.stderr
    assert run_compare(digits.fp32).returncode == 2


def test_the_page_explains_what_the_report_says(digits, compare):
    page = (Path(__file__).resolve().parents[2] / "docs" / "compare.md").read_text()
    report = compare(digits.fp32, digits.int8, "--data", digits.data)
    explained = {"lint", "bytes", "keep_float", "baseline_only", "variant_only"}
    explained |= {"verified", "verified_layers", "why_not_verified"}
    assert explained <= report.keys()
    for name in explained | {"saturation", "is_rescaled", "paired_by", "rmse_steps"}:
        assert f"`{name}`" in page or f"`{name}:" in page, name
    flags = run_compare("--help").stdout
    for flag in ("--data", "--samples", "--top", "--logdir", "--verify", "--json"):
        assert flag in flags and f"`{flag}" in page
