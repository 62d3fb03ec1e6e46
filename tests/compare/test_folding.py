"""Steps that graph optimizers fold into weights before quantization are not damage."""

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnxruntime.quantization.shape_inference import quant_pre_process

import digits_models
from conftest import run_compare
from digits_models import Editor


class Folded:
    """Returns a network with BatchNormalization, its version after ONNX Runtime's preparation, and
    images.
    """

    def __init__(self, folder):
        self.fp32, self.prepared = folder / "digits.onnx", folder / "prepared.onnx"
        csv = Path(os.environ["DIGITS"])
        self.images, self.labels = digits_models.train(csv, self.fp32, normalized=True)
        quant_pre_process(str(self.fp32), str(self.prepared), skip_symbolic_shape=True)
        self.data = folder / "images.npz"
        np.savez(self.data, image=self.images[:100])

    def quantized(self, path, **options):
        digits_models.quantize(self.prepared, path, self.images[:100], **options)
        return path


@pytest.fixture(scope="module")
def folded(tmp_path_factory):
    models = Folded(tmp_path_factory.mktemp("folded"))
    operators = [[n.op_type for n in onnx.load(p).graph.node] for p in (models.fp32, models.prepared)]
    assert operators[0].count("BatchNormalization") == 3 and "BatchNormalization" not in operators[1]
    return models


def convolutions(report):
    return {layer["name"]: layer for layer in report["layers"] if layer["op_type"] == "Conv"}


@pytest.mark.parametrize("per_channel", [False, True], ids=["per_tensor", "per_channel"])
def test_numbers_are_those_of_the_folded_baseline(folded, compare, tmp_path, per_channel):
    int8 = folded.quantized(tmp_path / "int8.onnx", per_channel=per_channel)
    flags = ["--data", folded.data, "--samples", 8]
    with_norms = convolutions(compare(folded.fp32, int8, *flags))
    prepared = convolutions(compare(folded.prepared, int8, *flags))
    assert len(with_norms) == 3 and with_norms.keys() == prepared.keys()
    for name, layer in with_norms.items():
        other = prepared[name]
        assert [node.split("/")[-1] for node in layer["folded"]] == ["BatchNormalization"]
        assert layer["is_rescaled"] and other["folded"] == [] and not other["is_rescaled"]
        for part in ("weight", "local", "accumulated"):
            assert layer[part]["sqnr_db"] == pytest.approx(other[part]["sqnr_db"], abs=0.02), (name, part)
        assert layer["weight"]["used_codes"] == other["weight"]["used_codes"]
        assert layer["bias_shift"] == pytest.approx(other["bias_shift"], abs=1e-4)
        assert (layer["level"], layer["cause"]) == (other["level"], other["cause"])
        assert layer["level"] != "red"


def test_normalization_that_stays_is_not_folded(folded, compare, tmp_path):
    """Without the preparation, BatchNormalization is quantized separately, or not at all."""
    int8 = tmp_path / "int8.onnx"
    digits_models.quantize(folded.fp32, int8, folded.images[:100])
    report = compare(folded.fp32, int8, "--data", folded.data, "--samples", 8)
    for layer in convolutions(report).values():
        assert layer["folded"] == []
        assert layer["accumulated"]["sqnr_db"] > 20, "outputs of the same place are compared"
    assert not [layer["name"] for layer in report["layers"] if layer["level"] == "red"]


def codes_of(model, name):
    """Returns the codes, scale and dequantized bias of a convolution, by name."""
    convolution = next(node for node in model.model.graph.node if node.name == name)
    made_by = {node.output[0]: node for node in model.model.graph.node}
    weight, bias = (made_by[name] for name in convolution.input[1:3])
    return weight.input[0], weight.input[1], bias.input[0]


@pytest.mark.parametrize("fault, cause", [("scale", "wrong_scale"), ("bias", "bias_shift")])
def test_a_fault_behind_the_folding_is_named(folded, compare, tmp_path, fault, cause):
    flags = ["--data", folded.data, "--samples", 8]
    int8 = folded.quantized(tmp_path / "int8.onnx")
    for name in convolutions(compare(folded.fp32, int8, *flags)):
        broken = Editor(int8)
        _, scale, bias = codes_of(broken, name)
        if fault == "scale":
            broken.set(scale, broken.get(scale) * np.float32(0.4))
        else:
            codes = broken.get(bias)
            broken.set(bias, codes + np.int32(np.abs(codes).max()))
        found = compare(folded.fp32, broken.save(tmp_path / "broken.onnx"), *flags)["layers"][0]
        assert (found["name"], found["cause"], found["level"]) == (name, cause, "red"), found["explanation"]


def test_quantizers_that_get_too_much_are_not_to_blame(folded, compare, tmp_path):
    """Outputs of the first layer are many times too large, so the following layers clip them."""
    int8 = folded.quantized(tmp_path / "int8.onnx")
    flags = ["--data", folded.data, "--samples", 8]
    first = min(convolutions(compare(folded.fp32, int8, *flags)).values(), key=lambda layer: layer["depth"])
    broken = Editor(int8)
    _, scale, _ = codes_of(broken, first["name"])
    broken.set(scale, broken.get(scale) * np.float32(5))
    report = compare(folded.fp32, broken.save(tmp_path / "broken.onnx"), *flags)
    assert [layer["name"] for layer in report["layers"] if layer["level"] == "red"] == [first["name"]]
    lost = {layer["name"]: layer["input_sqnr_db"] - layer["accumulated"]["sqnr_db"]
            for layer in report["layers"] if layer["input_sqnr_db"] is not None}  # fmt: skip
    assert max(lost, key=lost.get) == first["name"] and lost[first["name"]] > 20
    text = run_compare(folded.fp32, tmp_path / "broken.onnx", *flags).stdout
    assert f"Most is lost on the way to the output of '{first['name']}' (from " in text
