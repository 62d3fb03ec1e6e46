"""Recurrent layers of OpenVINO and TFLite: written with their own packages, and compared in ONNX's
order of gates. OpenVINO's converter and numpy are the oracles."""

import sys
from pathlib import Path

import numpy as np
import openvino as ov
import pytest
import tflite
from openvino import opset13 as ops
from recurrent_models import (
    GATES,
    HIDDEN,
    INPUTS,
    STEPS,
    Codes,
    by_name,
    check_weights,
    dequantized,
    recurrent_model,
    weights_of,
)

sys.path.append(str(Path(__file__).resolve().parents[1] / "model"))
from test_tflite import Builder  # noqa: E402


def to_openvino(model, path):
    ov.save_model(model, path, compress_to_fp16=False)
    return path


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("op", GATES)
def test_what_openvino_makes_of_onnx_is_the_same(compare, tmp_path, op, directions):
    """OpenVINO's converter stores gates in another order, and adds both biases."""
    fp32 = recurrent_model(tmp_path / "fp32.onnx", op, directions, weights_of(op, directions))
    ir = to_openvino(ov.convert_model(str(fp32)), tmp_path / "ir.xml")
    layers = by_name(compare(fp32, ir))
    assert set(layers) == {"/net/rnn/W", "/net/rnn/R", "head"}
    for name in "WR":
        layer = layers[f"/net/rnn/{name}"]
        assert layer["weight"]["sqnr_db"] is None and layer["level"] == "green"
    assert layers["/net/rnn/W"]["bias_shift"] == pytest.approx(0, abs=1e-6)


def test_a_bias_that_is_not_the_sum_is_found(compare, tmp_path):
    weights = weights_of("LSTM", 2)
    fp32 = recurrent_model(tmp_path / "fp32.onnx", "LSTM", 2, weights)
    other = {**weights, "B": weights["B"].copy()}
    row = 3 * HIDDEN + 5  # Of the cell's gate, as ONNX orders them, …
    other["B"][1, row] += 9  # … of the second direction.
    changed = recurrent_model(tmp_path / "other.onnx", "LSTM", 2, other)
    ir = to_openvino(ov.convert_model(str(changed)), tmp_path / "ir.xml")
    worst = compare(fp32, ir)["layers"][0]
    assert (worst["name"], worst["cause"]) == ("/net/rnn/W", "bias_shift")
    assert f"channel {GATES['LSTM'] * HIDDEN + row}" in worst["explanation"]


def stored_order(op, rows):
    """Converts rows of one direction from OpenVINO's order f, i, c, o to ONNX's i, o, f, c."""
    if op != "LSTM":
        return rows
    i, o, f, c = np.split(rows, 4)
    return np.concatenate([f, i, c, o])


def ir_model(path, op, kind, directions, weights, codes=None, before_reset=False):
    """Returns a sequence or a cell; `codes` are stored by name as NNCF does: Convert and Multiply.
    """

    def constant(name):
        values = np.stack([stored_order(op, rows) for rows in weights[name]])
        if kind == "cell":
            values = values[0]
        if codes is None:
            return ops.constant(values, name=name)
        code = codes[name] = Codes(values, 0 if kind == "cell" else None)
        shape = [-1] + [1] * (values.ndim - 1) if kind == "cell" else [1] * values.ndim
        converted = ops.convert(ops.constant(code.codes, name=name), np.float32)
        return ops.multiply(converted, ops.constant(code.scale.reshape(shape)))

    rows = GATES[op] * HIDDEN + (HIDDEN if before_reset else 0)
    states = 2 if op == "LSTM" else 1
    if kind == "cell":
        x = ops.parameter([1, INPUTS], np.float32, name="x")
        state = [ops.constant(np.zeros((1, HIDDEN), np.float32))] * states
        bias = ops.constant(np.zeros(rows, np.float32))
        into = [x, *state, constant("W"), constant("R"), bias, HIDDEN]
    else:
        x = ops.parameter([1, STEPS, INPUTS], np.float32, name="x")
        state = [ops.constant(np.zeros((1, directions, HIDDEN), np.float32))] * states
        bias = ops.constant(np.zeros((directions, rows), np.float32))
        length = ops.constant(np.array([STEPS], np.int32))
        direction = "BIDIRECTIONAL" if directions == 2 else "FORWARD"
        into = [x, *state, length, constant("W"), constant("R"), bias, HIDDEN, direction]
    if (op, kind) == ("RNN", "cell"):
        into += [["tanh"], [], []]  # Activations, which have defaults elsewhere.
    make = getattr(ops, f"{op.lower()}_{kind}")
    options = {"linear_before_reset": True} if before_reset else {}
    node = make(*into, **options)
    node.set_friendly_name("rnn")
    return to_openvino(ov.Model([node.output(0)], [x], "net"), path)


@pytest.mark.parametrize(
    "kind, directions", [("sequence", 1), ("sequence", 2), ("cell", 1)], ids=["one", "both", "cell"]
)
@pytest.mark.parametrize("op", GATES)
def test_codes_of_openvino(compare, tmp_path, op, kind, directions):
    weights, codes = weights_of(op, directions), {}
    fp32 = ir_model(tmp_path / "fp32.xml", op, kind, directions, weights)
    int8 = ir_model(tmp_path / "int8.xml", op, kind, directions, weights, codes)
    layers = by_name(compare(fp32, int8))
    assert set(layers) == {"rnn/W", "rnn/R"}
    for name in "WR":
        # Codes of all rows share a scale, or each row has its own, so their order does not matter.
        axis = 0 if kind == "cell" else None
        ours = weights[name][0] if kind == "cell" else weights[name]
        code = Codes(ours, axis)
        zero = np.zeros(code.scale.shape, np.int8)
        real = dequantized(code.codes, code.scale, zero, 0)
        layer = layers[f"rnn/{name}"]
        check_weights(layer, weights[name], real.reshape(weights[name].shape))
        assert (layer["node"], layer["bits"]) == ("rnn", 8)


def test_a_gru_with_a_bias_more_than_it_has_gates(compare, tmp_path):
    weights = weights_of("GRU", 1)
    paths = [
        ir_model(tmp_path / f"{i}.xml", "GRU", "sequence", 1, weights, codes, before_reset=True)
        for i, codes in enumerate((None, {}))
    ]
    layers = by_name(compare(*paths))
    assert set(layers) == {"rnn/W", "rnn/R"} and layers["rnn/W"]["bias_shift"] is None


def tflite_lstm(path, code, weights, quantized, inputs=20):
    """Writes an LSTM without peepholes; int8 codes have one scale per tensor. Inputs from 20 on
    belong to layer normalization."""
    model = Builder()

    def weight(name):
        if name not in weights:
            return -1
        if not quantized:
            return model.tensor(name, "float32", weights[name].shape, weights[name])
        codes = Codes(weights[name])
        return model.tensor(name, "int8", codes.codes.shape, codes.codes, [codes.scale], [0])

    is_sequence = code == tflite.BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM
    steps = [STEPS] if is_sequence else []
    outputs = len(weights["projection"]) if "projection" in weights else HIDDEN
    into = [model.tensor("x", "float32", [1, *steps, INPUTS])]
    into += [weight(name) for name in TFLITE_WEIGHTS]
    into += [-1] * 3  # Peepholes.
    bias = np.zeros(HIDDEN, np.float32)
    into += [model.tensor(f"bias{i}", "float32", bias.shape, bias) for i in range(4)]
    into += [weight("projection"), -1]
    into += [model.tensor(f"state{i}", "float32", [1, n]) for i, n in enumerate([outputs, HIDDEN])]
    into += [-1] * (inputs - len(into))
    out = model.tensor("lstm", "float32", [1, *steps, outputs])
    model.operator(code, into, [out])
    path.write_bytes(model.finish([0], [out]))
    return path


TFLITE_WEIGHTS = [
    f"{source}_to_{gate}"
    for source in ("input", "recurrent")
    for gate in ("input", "forget", "cell", "output")
]


def tflite_weights(outputs):
    """Returns the `outputs` of a projection; None without one."""
    rng = np.random.default_rng(11)
    sizes = {"input": INPUTS, "recurrent": outputs or HIDDEN}
    shapes = {name: (HIDDEN, sizes[name.split("_")[0]]) for name in TFLITE_WEIGHTS}
    if outputs:
        shapes["projection"] = (outputs, HIDDEN)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.mark.parametrize("outputs", [None, 10], ids=["plain", "projected"])
@pytest.mark.parametrize(
    "code, inputs",
    [
        (tflite.BuiltinOperator.UNIDIRECTIONAL_SEQUENCE_LSTM, 20),
        (tflite.BuiltinOperator.LSTM, 20),
        (tflite.BuiltinOperator.LSTM, 24),
    ],
    ids=["sequence", "step", "normalized"],
)
def test_each_gate_of_tflite_is_a_layer(compare, tmp_path, code, inputs, outputs):
    weights = tflite_weights(outputs)
    fp32 = tflite_lstm(tmp_path / "fp32.tflite", code, weights, False, inputs)
    int8 = tflite_lstm(tmp_path / "int8.tflite", code, weights, True, inputs)
    layers = by_name(compare(fp32, int8))
    assert set(layers) == {f"lstm/{name}" for name in weights}
    for name, values in weights.items():
        codes = Codes(values)
        real = dequantized(codes.codes, codes.scale, np.int8(0), 0)
        check_weights(layers[f"lstm/{name}"], values, real)
        assert layers[f"lstm/{name}"]["node"] == "lstm"


def test_a_gate_that_tflite_leaves_out_is_no_layer(compare, tmp_path):
    """Returns the input gate of a network in which it is one minus the forget gate."""
    weights = {name: w for name, w in tflite_weights(None).items() if "_to_input" not in name}
    code = tflite.BuiltinOperator.LSTM
    pair = [tflite_lstm(tmp_path / f"{q}.tflite", code, weights, q) for q in (False, True)]
    assert set(by_name(compare(*pair))) == {f"lstm/{name}" for name in weights}
