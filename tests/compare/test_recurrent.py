"""Recurrent layers: W and R of LSTM, GRU and RNN are separate layers, with the rows of gates as
channels. ONNX Runtime quantizes and dequantizes, numpy computes."""

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from conftest import run_compare
from digits_models import Editor
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_tensor_value_info as value
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_dynamic,
    quantize_static,
)
from recurrent_models import (
    GATES,
    HIDDEN,
    INPUTS,
    STEPS,
    Codes,
    by_name,
    check_weights,
    constant,
    dequantized,
    head,
    qdq_model,
    recurrent_model,
    recurrent_node,
    saved,
    session,
    sqnr_db,
    weights_of,
)
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

sys.path.append(str(Path(__file__).resolve().parents[1] / "server"))
from running_board import RunningBoard  # noqa: E402


def samples(tmp_path):
    rng = np.random.default_rng(3)
    path = tmp_path / "samples.npz"
    np.savez(path, x=rng.normal(size=(6, STEPS, 1, INPUTS)).astype(np.float32))
    return path


# Uses weights of 7 bits, so that the tests have the same result on every processor. Without VNNI,
# kernels add two products of uint8 and int8 in 16 bits, and the sum saturates: undamaged models
# lose about 10 dB. Weights of 7 bits cannot saturate.
def dynamic(fp32, path, **options):
    quantize_dynamic(
        str(fp32), str(path), weight_type=QuantType.QInt8, reduce_range=True, **options
    )
    return path


def weights_of_dynamic(path):
    """Returns W and R of a DynamicQuantizeLSTM, dequantized by ONNX Runtime, in the layout of LSTM.
    """
    model = Editor(path)
    node = next(n for n in model.model.graph.node if n.op_type == "DynamicQuantizeLSTM")
    found = {}
    for name, at in (("W", (1, 8, 9)), ("R", (2, 10, 11))):
        codes, scale, zero = (model.get(node.input[i]) for i in at)
        found[name] = np.stack([
            dequantized(codes[d], scale[d], zero[d], axis=1).T for d in range(codes.shape[0])
        ])  # fmt: skip
    return found


@pytest.mark.parametrize("per_channel", [False, True], ids=["per_tensor", "per_channel"])
@pytest.mark.parametrize("directions", [1, 2])
def test_dynamic_quantization(compare, tmp_path, directions, per_channel):
    weights = weights_of("LSTM", directions)
    fp32 = recurrent_model(tmp_path / "fp32.onnx", "LSTM", directions, weights)
    int8 = dynamic(fp32, tmp_path / "int8.onnx", per_channel=per_channel)
    data = samples(tmp_path)
    layers = by_name(compare(fp32, int8, "--data", data))
    assert set(layers) == {"/net/rnn/W", "/net/rnn/R", "head"}
    theirs = weights_of_dynamic(int8)
    for name in "WR":
        layer = layers[f"/net/rnn/{name}"]
        assert (layer["node"], layer["op_type"], layer["bits"]) == ("/net/rnn", "LSTM", 8)
        assert (layer["variant_name"], layer["paired_by"]) == (f"/net/rnn_quant/{name}", "suffix")
        check_weights(layer, weights[name], theirs[name])
        assert layer["bias_shift"] == 0
    # Their common output is compared once.
    assert layers["/net/rnn/R"]["accumulated"] is None
    with np.load(data) as loaded:
        outputs = [
            np.concatenate(
                [
                    session(with_output(path, "sequence")).run(["sequence"], {"x": x})[0]
                    for x in loaded["x"]
                ]
            )
            for path in (fp32, int8)
        ]
    accumulated = layers["/net/rnn/W"]["accumulated"]
    assert accumulated["sqnr_db"] == pytest.approx(sqnr_db(*outputs), abs=0.05)
    assert len(accumulated["channels"]["baseline_min"]) == HIDDEN
    # All bytes of the node are counted once.
    constants = {t.name: len(t.raw_data) for t in onnx.load(str(fp32)).graph.initializer}
    assert layers["/net/rnn/R"]["baseline_bytes"] == constants["R"]
    assert layers["/net/rnn/W"]["baseline_bytes"] == constants["W"] + constants["B"]


def with_output(path, tensor):
    model = onnx.load(str(path))
    model.graph.output.append(value(tensor, TensorProto.FLOAT, None))
    return model


@pytest.mark.parametrize("axis", [None, 1], ids=["per_tensor", "per_row"])
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("op", GATES)
def test_dequantized_weights(compare, tmp_path, op, directions, axis):
    weights = weights_of(op, directions)
    fp32 = recurrent_model(tmp_path / "fp32.onnx", op, directions, weights)
    int8 = qdq_model(tmp_path / "int8.onnx", op, directions, weights, axis)
    report = compare(fp32, int8, "--data", samples(tmp_path), "--verify")
    layers = by_name(report)
    for name in "WR":
        each = Codes(weights[name], axis)
        zero = np.zeros(each.scale.shape, np.int8)
        theirs = dequantized(each.codes, each.scale, zero, each.axis)
        check_weights(layers[f"/net/rnn/{name}"], weights[name], theirs)
    # The codes can be replaced by floats, which gives the baseline.
    runs = {run["restored"]: run for run in report["verified"]}
    assert runs["everything"]["sqnr_db"] is None or runs["everything"]["sqnr_db"] > 80
    assert runs["everything"]["why_not"] == "" and runs["nothing"]["sqnr_db"] < 60


class Reader(CalibrationDataReader):
    def __init__(self, data):
        with np.load(data) as loaded:
            self.samples = iter([{"x": x} for x in loaded["x"]])

    def get_next(self):
        return next(self.samples, None)


@pytest.mark.parametrize("per_channel", [False, True], ids=["per_tensor", "per_channel"])
@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("op", GATES)
def test_static_quantization(compare, tmp_path, op, directions, per_channel):
    """The whole node is quantized: its weights, its bias, its inputs and its outputs."""
    weights = weights_of(op, directions)
    fp32 = recurrent_model(tmp_path / "fp32.onnx", op, directions, weights)
    int8, data = tmp_path / "int8.onnx", samples(tmp_path)
    quantize_static(
        str(fp32), str(int8), Reader(data), quant_format=QuantFormat.QDQ, per_channel=per_channel,
        op_types_to_quantize=[op, "MatMul"],
    )  # fmt: skip
    report = compare(fp32, int8, "--data", data, "--verify")
    layers = by_name(report)
    names = {name: f"{name}_DequantizeLinear_Output" for name in "WRB"}
    edited = onnx.load(str(int8))
    edited.graph.output.extend(value(name, TensorProto.FLOAT, None) for name in names.values())
    with np.load(data) as loaded:
        theirs = dict(zip(names, session(edited).run(list(names.values()), {"x": loaded["x"][0]})))
    halves = np.split(theirs["B"] - weights["B"], 2, axis=1)
    for name, half in zip("WR", halves):
        layer = layers[f"/net/rnn/{name}"]
        assert layer["variant_name"] == layer["name"]
        check_weights(layer, weights[name], theirs[name])
        # In standard deviations of the rows' outputs for inputs of unit variance.
        deviations = np.sqrt((weights[name].astype(np.float64) ** 2).sum(-1))
        deviations = np.maximum(deviations, 0.1 * np.sqrt((deviations**2).mean()))
        shift = np.sqrt(((half / deviations) ** 2).mean())
        assert layer["bias_shift"] == pytest.approx(shift, rel=1e-3)
    rnn = layers["/net/rnn/W"]
    assert rnn["local"]["sqnr_db"] > 20 and layers["/net/rnn/R"]["local"] is None
    assert rnn["output_tensor"] == "sequence"
    runs = {run["restored"]: run for run in report["verified"]}
    assert runs["everything"]["sqnr_db"] is None or runs["everything"]["sqnr_db"] > 80
    assert not [run for run in report["verified"] if run["why_not"]]
    assert not [layer for layer in report["layers"] if layer["level"] == "red"]


def test_only_the_last_state_may_be_used(compare, tmp_path):
    """Y is omitted, and Y_h is the output of the layer."""
    weights = weights_of("GRU", 1)
    graph = [recurrent_node("GRU", 1, outputs=("", "last"))]
    described = (
        [value("x", TensorProto.FLOAT, [STEPS, 1, INPUTS])],
        [value("last", TensorProto.FLOAT, [1, 1, HIDDEN])],
    )
    constants = [constant(name, values) for name, values in weights.items()]
    fp32 = saved(tmp_path / "fp32.onnx", graph, *described, constants)
    codes = {name: Codes(weights[name]) for name in "WR"}
    int8 = saved(
        tmp_path / "int8.onnx",
        [each.node(name) for name, each in codes.items()] + graph,
        *described,
        [constants[2]] + [c for name, each in codes.items() for c in each.constants(name)],
    )  # fmt: skip
    layers = by_name(compare(fp32, int8, "--data", samples(tmp_path)))
    assert set(layers) == {"/net/rnn/W", "/net/rnn/R"}
    assert layers["/net/rnn/W"]["accumulated"]["sqnr_db"] > 20
    assert layers["/net/rnn/R"]["weight"]["sqnr_db"] > 20


def broken(tmp_path, name, fault, directions=2):
    """Returns an LSTM whose weights `name` have one error."""
    weights = weights_of("LSTM", directions)
    fp32 = recurrent_model(tmp_path / "fp32.onnx", "LSTM", directions, weights)
    other = {key: values.copy() for key, values in weights.items()}
    if fault == "bias":  # The half of R follows the half of W.
        rows = GATES["LSTM"] * HIDDEN
        other["B"][:, rows * "WR".index(name) : rows * ("WR".index(name) + 1)] += 0.5
    codes = {key: Codes(weights[key]) for key in "WR"}
    if fault == "scale":
        codes[name].scale = codes[name].scale * np.float32(0.4)
    elif fault == "dead":
        codes[name].codes[directions - 1, 5] = 0
    elif fault == "order":
        codes[name].codes = codes[name].codes[:, ::-1]
    return fp32, qdq_model(tmp_path / "int8.onnx", "LSTM", directions, other, codes=codes)


@pytest.mark.parametrize("name", ["W", "R"])
@pytest.mark.parametrize(
    "fault, cause",
    [
        ("scale", "wrong_scale"),
        ("bias", "bias_shift"),
        ("dead", "dead_channel"),
        ("order", "permuted_channels"),
    ],
)
def test_a_fault_is_found_in_the_weights_that_have_it(compare, tmp_path, name, fault, cause):
    fp32, int8 = broken(tmp_path, name, fault)
    report = compare(fp32, int8, "--data", samples(tmp_path))
    worst = report["layers"][0]
    assert (worst["name"], worst["cause"]) == (f"/net/rnn/{name}", cause), worst["explanation"]
    # One dead channel of 128 leaves the output undamaged (37 dB), and then no layer is red.
    is_sound = report["verdict"]["level"] == "sound"
    assert worst["level"] == ("amber" if is_sound else "red")
    assert not is_sound or fault == "dead"
    if fault == "dead":  # In the second direction.
        assert worst["weight"]["worst_channel"] == GATES["LSTM"] * HIDDEN + 5
    others = [layer for layer in report["layers"][1:] if layer["weight"]]
    assert all(layer["level"] != "red" for layer in others)
    assert worst["float_nodes"][0] == "/net/rnn"


def test_what_is_verified_is_what_the_network_then_gives(compare, tmp_path):
    """Returns the model with R and B restored, so that only W is quantized."""
    fp32, int8 = broken(tmp_path, "R", "scale")
    data = samples(tmp_path)
    report = compare(fp32, int8, "--data", data, "--verify")
    run = next(run for run in report["verified"] if run["restored"] == "parts")
    assert run["parts"] == [{"layer": "/net/rnn/R", "part": "weight"}]
    edited = onnx.load(str(int8))
    node = next(node for node in edited.graph.node if node.name == "/net/rnn")
    edited.graph.initializer.append(constant("original R", Editor(fp32).get("R")))
    node.input[2] = "original R"
    with np.load(data) as loaded:
        answers = [
            np.concatenate([session(model).run(["y"], {"x": x})[0] for x in loaded["x"]])
            for model in (onnx.load(str(fp32)), edited)
        ]
    assert run["sqnr_db"] == pytest.approx(sqnr_db(*answers), abs=0.05)


@pytest.mark.parametrize("directions", [1, 2])
@pytest.mark.parametrize("name", ["W", "R"])
def test_a_dynamically_quantized_lstm_becomes_one_of_floats(compare, tmp_path, directions, name):
    """With W or R restored it is an LSTM, whose other weights have the values of their codes."""
    weights = weights_of("LSTM", directions)
    fp32 = recurrent_model(tmp_path / "fp32.onnx", "LSTM", directions, weights)
    made = onnx.load(str(dynamic(fp32, tmp_path / "made.onnx", per_channel=True)))
    node = next(node for node in made.graph.node if node.op_type == "DynamicQuantizeLSTM")
    scale_name = node.input[8 if name == "W" else 10]
    scale = next(t for t in made.graph.initializer if t.name == scale_name)
    scale.CopyFrom(constant(scale_name, numpy_helper.to_array(scale) * np.float32(0.4)))
    int8 = tmp_path / "int8.onnx"
    onnx.save(made, str(int8))
    data = samples(tmp_path)
    report = compare(fp32, int8, "--data", data, "--verify")
    runs = {run["restored"]: run for run in reversed(report["verified"])}
    assert runs["parts"]["parts"] == [{"layer": f"/net/rnn/{name}", "part": "weight"}]
    theirs = {**weights_of_dynamic(int8), name: weights[name]}
    edited = onnx.load(str(int8))
    for each, values in theirs.items():
        edited.graph.initializer.append(constant(f"oracle {each}", values.astype(np.float32)))
    at = next(i for i, n in enumerate(edited.graph.node) if n.op_type == "DynamicQuantizeLSTM")
    old = edited.graph.node[at]
    lstm = helper.make_node("LSTM", [old.input[0], "oracle W", "oracle R", old.input[3]], old.output)
    lstm.attribute.extend(old.attribute)
    edited.graph.node[at].CopyFrom(lstm)
    with np.load(data) as loaded:
        answers = [
            np.concatenate([session(model).run(["y"], {"x": x})[0] for x in loaded["x"]])
            for model in (onnx.load(str(fp32)), edited)
        ]
    assert runs["parts"]["sqnr_db"] == pytest.approx(sqnr_db(*answers), abs=0.05)
    assert runs["everything"]["sqnr_db"] is None or runs["everything"]["sqnr_db"] > 100


@pytest.mark.parametrize("directions", [1, 2])
def test_small_rows_that_share_a_scale_with_large_ones(compare, tmp_path, directions):
    """ONNX Runtime gives all rows of a direction one scale, which is too coarse for a small row."""
    weights = weights_of("LSTM", directions)
    for name in "WR":
        small = np.abs(weights[name][-1]).mean(1).argmin()
        weights[name][-1, small] *= np.float32(0.4)
    fp32 = recurrent_model(tmp_path / "fp32.onnx", "LSTM", directions, weights)
    report = compare(fp32, dynamic(fp32, tmp_path / "int8.onnx"), "--samples", 0)
    for name in "WR":
        layer = by_name(report)[f"/net/rnn/{name}"]
        assert layer["level"] != "green" and layer["cause"] == "channel_spread"
        worst = layer["weight"]["worst_channel"]
        sizes = np.median(np.abs(weights[name].reshape(-1, weights[name].shape[-1])), axis=1)
        assert sizes[worst] < np.median(sizes) / 4
        assert f"channel {worst} is" in layer["explanation"]
        fixes = [fix["action"] for fix in layer["fixes"]]
        assert "one scale per output channel" in fixes


def test_factors_of_rows_are_damage(compare, tmp_path):
    """No layer after a gate could undo the factors, unlike layers after a linear layer."""
    weights = weights_of("LSTM", 1)
    fp32 = recurrent_model(tmp_path / "fp32.onnx", "LSTM", 1, weights)
    codes = {name: Codes(weights[name], 1) for name in "WR"}
    factors = np.random.default_rng(5).uniform(0.5, 2, codes["R"].scale.shape)
    codes["R"].scale = (codes["R"].scale * factors).astype(np.float32)
    int8 = qdq_model(tmp_path / "int8.onnx", "LSTM", 1, weights, codes=codes)
    worst = compare(fp32, int8, "--samples", 0)["layers"][0]
    assert (worst["name"], worst["level"], worst["is_rescaled"]) == ("/net/rnn/R", "red", False)


def test_the_quantizer_understands_what_to_keep_in_float(compare, tmp_path):
    fp32, int8 = broken(tmp_path, "R", "scale")
    report = compare(fp32, int8, "--samples", 0)
    names = report["layers"][0]["float_nodes"]
    assert names == ["/net/rnn"] and "'/net/rnn'" in report["keep_float"]["onnxruntime"]
    kept = dynamic(fp32, tmp_path / "kept.onnx", nodes_to_exclude=names)
    assert "LSTM" in [node.op_type for node in onnx.load(str(kept)).graph.node]
    assert by_name(compare(fp32, kept, "--samples", 0))["/net/rnn/R"]["weight"]["sqnr_db"] is None


def test_gates_in_the_order_of_pytorch(compare, tmp_path):
    """Reorders the gates by Slice and Concat, as exporters without constant folding do."""
    weights = weights_of("LSTM", 1)
    stored = {}  # i, f, g, o instead of i, o, f, c.
    for name in "WR":
        i, o, f, c = np.split(weights[name][0], 4)
        stored[name] = np.concatenate([i, f, c, o])
    nodes, constants = [], [constant("B", weights["B"]), constant("zero", np.array([0], np.int64))]
    runs = [(0, HIDDEN), (3 * HIDDEN, 4 * HIDDEN), (HIDDEN, 3 * HIDDEN)]
    for number, run in enumerate(runs):
        for which, at in zip(("start", "end"), run):
            constants.append(constant(f"{which}{number}", np.array([at], np.int64)))
    for name in "WR":
        nodes += [
            helper.make_node(
                "Slice", [f"{name}_ih", f"start{k}", f"end{k}", "zero"], [f"{name}{k}"]
            )
            for k in range(3)
        ]
        nodes.append(
            helper.make_node("Concat", [f"{name}{k}" for k in range(3)], [f"{name}_all"], axis=0)
        )
        nodes.append(helper.make_node("Unsqueeze", [f"{name}_all", "zero"], [name]))
    after, more = head(1)
    described = (
        [value("x", TensorProto.FLOAT, [STEPS, 1, INPUTS])],
        [value("y", TensorProto.FLOAT, [STEPS, 1, 3])],
    )
    codes = {name: Codes(stored[name], 0) for name in "WR"}
    float_nodes = nodes + [recurrent_node("LSTM", 1), *after]
    fp32 = saved(
        tmp_path / "fp32.onnx", float_nodes, *described,
        constants + more + [constant(f"{name}_ih", stored[name]) for name in "WR"],
    )  # fmt: skip
    int8 = saved(
        tmp_path / "int8.onnx",
        [codes[name].node(f"{name}_ih") for name in "WR"] + float_nodes,
        *described,
        constants + more + [c for name in "WR" for c in codes[name].constants(f"{name}_ih")],
    )  # fmt: skip
    folded = dynamic(
        recurrent_model(tmp_path / "folded.onnx", "LSTM", 1, weights), tmp_path / "dynamic.onnx"
    )
    data = samples(tmp_path)
    report = compare(fp32, int8, "--data", data, "--verify")
    runs = {run["restored"]: run for run in report["verified"]}
    assert runs["everything"]["sqnr_db"] is None or runs["everything"]["sqnr_db"] > 80
    sliced, against_folded = by_name(report), by_name(compare(fp32, folded, "--data", data))
    theirs = weights_of_dynamic(folded)
    for name in "WR":
        # Rows belong to the gates in the order of the node, however they are stored.
        real = dequantized(codes[name].codes, codes[name].scale, np.zeros(4 * HIDDEN, np.int8), 0)
        i, f, c, o = np.split(real, 4)
        check_weights(sliced[f"/net/rnn/{name}"], weights[name], np.concatenate([i, o, f, c])[None])
        check_weights(against_folded[f"/net/rnn/{name}"], weights[name], theirs[name])


def test_events_name_the_layers_and_their_node(tmp_path):
    fp32, int8 = broken(tmp_path, "R", "scale")
    result = run_compare(
        fp32, int8, "--data", samples(tmp_path), "--logdir", tmp_path / "log", "--verify"
    )
    assert result.returncode == 0, result.stderr
    events = EventAccumulator(str(tmp_path / "log")).Reload()
    for name in "WR":
        tag = f"fp32/layers/net/rnn/{name}/sqnr_db/int8"
        assert tag in events.Tags()["scalars"]
        label = events.SummaryMetadata(tag).plugin_data.content.decode()
        assert f'"layer":"/net/rnn/{name}"' in label and '"node":"/net/rnn"' in label
    graph = EventAccumulator(str(tmp_path / "log/int8")).Reload().Graph()
    node = next(node for node in graph.node if node.name == "net/rnn")
    assert node.attr["level"].s == b"red" and node.attr["cause"].s == b"wrong_scale"
    # The page shows layers, and copies names of nodes.
    with RunningBoard("--logdir", tmp_path / "log") as board:
        status, ranking = board.json("/api/v1/compression/layers?a=fp32&b=int8&model=fp32")
    assert status == 200, ranking
    fallbacks = dict(zip(ranking["layers"]["names"], ranking["layers"]["fallback_operations"]))
    assert ranking["layers"]["names"][0] == "/net/rnn/R"
    assert (fallbacks["/net/rnn/W"], fallbacks["/net/rnn/R"]) == ("/net/rnn", "/net/rnn")
