"""Non-finite values: scales that are NaN, and weights and outputs beyond fp16."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

INPUTS, HIDDEN, OUTPUTS = 64, 128, 32


def save(path, nodes, weights):
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", INPUTS])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", OUTPUTS])],
        [numpy_helper.from_array(values, name) for name, values in weights.items()],
    )
    opsets = [helper.make_opsetid("", 13)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
    return path


BODY = [
    helper.make_node("MatMul", ["x", "w1"], ["h"], name="fc1"),
    helper.make_node("Relu", ["h"], ["r"], name="relu"),
    helper.make_node("MatMul", ["r", "w2"], ["y"], name="fc2"),
]


def weights():
    random = np.random.default_rng(0)
    return {
        "w1": random.standard_normal((INPUTS, HIDDEN)).astype(np.float32),
        "w2": random.standard_normal((HIDDEN, OUTPUTS)).astype(np.float32),
    }


def save_int8(path, floats, change):
    """Returns per-channel codes with changed scales of fc1."""
    nodes, constants = [], {}
    for name, values in floats.items():
        scales = np.abs(values).max(axis=0) / 127
        constants[name + "_q"] = np.round(values / scales).astype(np.int8)
        constants[name + "_s"] = scales.astype(np.float32)
        nodes.append(helper.make_node("DequantizeLinear", [name + "_q", name + "_s"], [name], axis=1))
    change(constants["w1_s"])
    return save(path, nodes + BODY, constants)


@pytest.mark.parametrize("samples", [[], ["--samples", "0"]])
@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("which", [slice(3, 4), slice(None)])
def test_scales_that_are_no_numbers(compare, tmp_path, samples, value, which):
    before = save(tmp_path / "float.onnx", BODY, weights())

    def change(scales):
        scales[which] = value

    after = save_int8(tmp_path / "int8.onnx", weights(), change)
    first, *others = compare(before, after, *samples)["layers"]
    count = INPUTS * len(range(HIDDEN)[which])
    assert (first["name"], first["level"], first["cause"]) == ("fc1", "red", "not_finite")
    assert first["explanation"].startswith(f"{count:,} of {INPUTS * HIDDEN:,} weights are NaN")
    assert first["fixes"][0]["action"] == "quantize these weights again, as they are"
    assert all(layer["level"] == "green" for layer in others)


def test_weights_beyond_fp16(compare, tmp_path):
    floats = weights()
    floats["w2"][5, 7] = 1e5
    before = save(tmp_path / "float.onnx", BODY, floats)
    with np.errstate(over="ignore"):
        halves = {name + "_h": values.astype(np.float16) for name, values in floats.items()}
    casts = [helper.make_node("Cast", [n + "_h"], [n], to=TensorProto.FLOAT) for n in floats]
    after = save(tmp_path / "half.onnx", casts + BODY, halves)
    first, other = compare(before, after)["layers"]
    assert (first["name"], first["cause"], first["part"]) == ("fc2", "not_finite", "weight")
    assert first["explanation"].startswith("1 of 4,096 weights is NaN")
    assert other["level"] == "green"


def test_the_first_output_beyond_fp16(compare, tmp_path):
    floats = weights()
    floats["w1"] *= 3000  # The sums exceed 65,504, but the weights do not.
    before = save(tmp_path / "float.onnx", BODY, floats)
    halves = {name: values.astype(np.float16) for name, values in floats.items()}
    cast = helper.make_node
    nodes = [
        cast("Cast", ["x"], ["x_h"], to=TensorProto.FLOAT16),
        helper.make_node("MatMul", ["x_h", "w1"], ["h"], name="fc1"),
        helper.make_node("Relu", ["h"], ["r"], name="relu"),
        helper.make_node("MatMul", ["r", "w2"], ["y_h"], name="fc2"),
        cast("Cast", ["y_h"], ["y"], to=TensorProto.FLOAT),
    ]
    after = save(tmp_path / "half.onnx", nodes, halves)
    layers = compare(before, after)["layers"]
    assert (layers[0]["name"], layers[0]["level"]) == ("fc1", "red")
    assert (layers[0]["cause"], layers[0]["part"]) == ("not_finite", "output")
    assert layers[0]["fixes"]
    assert layers[1]["cause"] != "not_finite"  # The non-finite values come from the layer before.
