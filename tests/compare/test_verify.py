"""--verify measures the output SQNR with restored parts: the oracle edits the model with the onnx
package, runs it with ONNX Runtime's package, and computes with numpy."""

import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import run_compare
from digits_models import LAYERS, Editor, Reader
from onnx import numpy_helper
from onnxruntime.quantization import QuantFormat, quantize_static
from test_digits import layer_of, outlier_channel
from test_folding import folded  # noqa: F401 (a fixture)
from test_planted_faults import PLANTED_IN_CODES

SAMPLES = 20
EXACT_DB = 80  # Sums in another order have larger errors.


def answers(model, images):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, ["CPUExecutionProvider"]
    )
    return np.concatenate([session.run(["logits"], {"image": image[None]})[0] for image in images])


class Oracle:
    """A compressed model of the digits network, and functions that restore parts of it."""

    def __init__(self, fp32, int8):
        self.fp32, self.model = onnx.load(str(fp32)), onnx.load(str(int8))
        self.ours = {node.name: node for node in self.fp32.graph.node}
        self.theirs = {node.name: node for node in self.model.graph.node}
        self.constants = {t.name: t for t in self.fp32.graph.initializer}
        self.kept = []  # Layers whose outputs are not restored.

    def use(self, old, new):
        """Connects all users of the tensor `old` to `new`."""
        for node in self.model.graph.node:
            for i, name in enumerate(node.input):
                if name == old:
                    node.input[i] = new

    def restore_weights(self, layer):
        for i in (1, 2):
            tensor = onnx.TensorProto()
            tensor.CopyFrom(self.constants[self.ours[layer].input[i]])
            tensor.name = f"original {tensor.name}"
            self.model.graph.initializer.append(tensor)
            self.theirs[layer].input[i] = tensor.name

    def restore_output(self, layer):
        """Also if the same values are quantized again, after MaxPool and Flatten."""
        output = self.theirs[layer].output[0] if layer in self.theirs else layer
        quantize = next(
            node for node in self.model.graph.node
            if node.op_type == "QuantizeLinear" and node.input[0] == output
        )
        dequantize = next(
            node for node in self.model.graph.node
            if node.op_type == "DequantizeLinear" and node.input[0] == quantize.output[0]
        )
        if output.startswith("/Relu"):  # This value became the range of the quantizer.
            relu = onnx.helper.make_node("Relu", [output], [f"original {output}"])
            self.model.graph.node.insert(list(self.model.graph.node).index(quantize), relu)
            output = relu.output[0]
        if dequantize.output[0] == "logits":
            dequantize.CopyFrom(onnx.helper.make_node("Identity", [output], ["logits"]))
            return
        self.use(dequantize.output[0], output)
        for node in self.model.graph.node:
            again = node.op_type in ("MaxPool", "Flatten") and output in node.input
            if again and node.name not in self.kept:
                self.restore_output(node.name)

    def sqnr_db(self, images):
        x = answers(self.fp32, images).astype(np.float64)
        y = answers(self.model, images).astype(np.float64)
        error = ((x - y) ** 2).sum()
        return None if error == 0 else 10 * np.log10((x**2).sum() / error)


def restore(oracle, run, report):
    nodes = [layer_of(f"{name}.weight", oracle.path) for name in LAYERS]
    levels = {
        "red_layers": ["red"], "red_and_amber_layers": ["red", "amber"], "everything": None,
        "all_weights": None, "all_outputs": None, "all_but_parts": None,
    }
    named = [(part["layer"], part["part"]) for part in run["parts"]]
    parts = named if run["restored"] == "parts" else []
    if run["restored"] in levels:
        chosen = levels[run["restored"]]
        hurt = {layer["name"] for layer in report["layers"] if chosen and layer["level"] in chosen}
        names = nodes if chosen is None else [name for name in nodes if name in hurt]
        if run["restored"] != "all_outputs":
            parts += [(name, "weight") for name in names]
        if run["restored"] != "all_weights":
            parts += [(name, "output") for name in names]
        if run["restored"] in ("all_outputs", "everything", "all_but_parts"):
            parts.append(("image", "output"))
    if run["restored"] == "all_but_parts":
        parts = [part for part in parts if part not in named]
        oracle.kept = [layer for layer, part in named if part == "output"]
    for layer, part in parts:
        (oracle.restore_weights if part == "weight" else oracle.restore_output)(layer)


def assert_oracled(report, fp32, int8, images):
    for run in report["verified"]:
        oracle = Oracle(fp32, int8)
        oracle.path = fp32
        restore(oracle, run, report)
        want = oracle.sqnr_db(images)
        assert run["why_not"] == ""
        if want is None or want > EXACT_DB:
            assert run["sqnr_db"] is None or run["sqnr_db"] > EXACT_DB, run
        else:
            assert run["sqnr_db"] == pytest.approx(want, abs=1e-6), run


def verify(compare, fp32, int8, digits, *flags):
    return compare(fp32, int8, "--data", digits.data, "--samples", SAMPLES, "--verify", *flags)


def runs_of(report, restored="parts", count=1):
    return [
        run for run in report["verified"]
        if run["restored"] == restored and len(run["parts"]) == count
    ]


@pytest.mark.parametrize("per_channel", [False, True], ids=["per_tensor", "per_channel"])
def test_numbers_are_those_of_models_that_the_onnx_package_has_edited(
    digits, compare, tmp_path, per_channel
):
    """A channel of conv2 is too large: its weights, its output and the next weights are damaged."""
    fp32, int8 = outlier_channel(digits), tmp_path / "int8.onnx"
    digits.quantize(fp32, int8, per_channel=per_channel)
    report = verify(compare, fp32, int8, digits)
    last = next(layer for layer in report["layers"] if layer["name"] == "/head/Gemm")
    assert report["verified_layers"] == ["/head/Gemm"] and report["why_not_verified"] == ""
    assert report["verified"][0]["restored"] == "nothing"
    assert report["verified"][0]["sqnr_db"] == last["accumulated"]["sqnr_db"]
    kinds = [run["restored"] for run in report["verified"]]
    assert kinds[-3:] == ["all_weights", "all_outputs", "everything"]
    assert "red_layers" in kinds and kinds.count("parts") >= 4
    assert_oracled(report, fp32, int8, digits.images[:SAMPLES])
    # A part of the layer that the diagnosis names has the largest gain: the output if each channel
    # has its own weight scale. Under one scale, the weights and the output are damaged.
    best = runs_of(report)[0]["parts"][0]
    assert best == {"layer": "/conv2/Conv", "part": "output" if per_channel else "weight"}


@pytest.mark.parametrize("fault", PLANTED_IN_CODES, ids=lambda fault: fault.__name__)
def test_only_the_layer_with_the_fault_gives_back_what_the_sound_model_keeps(
    digits, compare, tmp_path, fault
):
    random = np.random.default_rng(7)
    sound = verify(compare, digits.fp32, digits.int8, digits)["verified"][0]["sqnr_db"]
    for name in LAYERS:
        fp32, int8 = Editor(digits.fp32), Editor(digits.int8)
        fault(fp32, int8, name, random)
        broken = int8.save(tmp_path / "broken.onnx")
        report = verify(compare, digits.fp32, broken, digits, 9)
        guilty = layer_of(f"{name}.weight", digits.fp32)
        as_it_is = report["verified"][0]["sqnr_db"]
        assert as_it_is < sound - 6
        first, *others = runs_of(report)
        assert first["parts"] == [{"layer": guilty, "part": "weight"}], report["verified"]
        assert first["sqnr_db"] > sound - 0.5
        for run in others:
            assert run["sqnr_db"] < as_it_is + 3, run


def test_restoring_more_is_never_listed_when_it_is_worse(digits, compare, tmp_path):
    random = np.random.default_rng(11)
    found = 0
    for _placement in range(6):
        int8 = Editor(digits.int8)
        for name in random.permutation(LAYERS)[:3]:
            scale = f"{name}.weight_scale"
            int8.set(scale, (int8.get(scale) * random.uniform(0.6, 0.9)).astype(np.float32))
        broken = int8.save(tmp_path / "broken.onnx")
        report = verify(compare, digits.fp32, broken, digits)
        singles = [run["sqnr_db"] for run in runs_of(report)]
        assert singles == sorted(singles, reverse=True)
        steps = [runs_of(report)[0], *runs_of(report, count=2), *runs_of(report, count=3)]
        for fewer, more in zip(steps, steps[1:]):
            assert more["parts"][:-1] == fewer["parts"]
            assert more["sqnr_db"] > fewer["sqnr_db"]
            found += 1
    assert found >= 6, "two parts are better than one where three are broken"


def test_where_nothing_is_to_blame_the_parts_that_cost_most_are_found(digits, compare):
    report = verify(compare, digits.fp32, digits.int8, digits)
    assert not [layer for layer in report["layers"] if layer["level"] != "green"]
    alone = runs_of(report, "all_but_parts")
    costs = [run["sqnr_db"] for run in alone]
    assert 1 <= len(alone) <= 3 and costs == sorted(costs)
    together = report["verified"][-1]
    assert together["restored"] == "parts"
    assert together["parts"] == [run["parts"][0] for run in alone]
    assert together["sqnr_db"] > report["verified"][0]["sqnr_db"] + 1
    assert_oracled(report, digits.fp32, digits.int8, digits.images[:SAMPLES])
    # No other part has a larger gain, although not all were tried.
    nodes = [layer_of(f"{name}.weight", digits.fp32) for name in LAYERS]
    others = [(node, part) for node in nodes for part in ("weight", "output")]
    for layer, part in [*others, ("image", "output")]:
        oracle = Oracle(digits.fp32, digits.int8)
        oracle.path = digits.fp32
        only = {"restored": "all_but_parts", "parts": [{"layer": layer, "part": part}]}
        restore(oracle, only, report)
        assert oracle.sqnr_db(digits.images[:SAMPLES]) > costs[0] - 0.5, (layer, part)


def quantize_with(options, fp32, int8, images):
    quantize_static(
        str(fp32), str(int8), Reader(images), quant_format=QuantFormat.QDQ, per_channel=True,
        extra_options=options,
    )


OPTIONS = {
    "symmetric": {"ActivationSymmetric": True, "DedicatedQDQPair": True},
    "float_weights": {"AddQDQPairToWeight": True},  # Rounded by the graph.
}


@pytest.mark.parametrize("how", ["per_tensor", "per_channel", *OPTIONS])
def test_everything_restored_is_the_baseline(digits, folded, compare, tmp_path, how):  # noqa: F811
    """Also if normalization was folded into the quantized weights."""
    for fp32, prepared in ((digits.fp32, digits.fp32), (folded.fp32, folded.prepared)):
        images, int8 = digits.images[:100], tmp_path / "int8.onnx"
        if how in OPTIONS:
            quantize_with(OPTIONS[how], prepared, int8, images)
        else:
            digits.quantize(prepared, int8, per_channel=how == "per_channel")
        report = verify(compare, fp32, int8, digits)
        (everything,) = runs_of(report, "everything", 0)
        assert everything["why_not"] == ""
        assert everything["sqnr_db"] is None or everything["sqnr_db"] > EXACT_DB
        for part in ("all_weights", "all_outputs"):
            assert runs_of(report, part, 0)[0]["sqnr_db"] < EXACT_DB


def two_heads(digits, path):
    """Returns the digits network with another head after its second convolution."""
    model = onnx.load(str(digits.fp32))
    weights = np.random.default_rng(3).normal(size=(16, 4)).astype(np.float32)
    bias = np.arange(4, dtype=np.float32)
    model.graph.initializer.append(numpy_helper.from_array(weights, "side.weight"))
    model.graph.initializer.append(numpy_helper.from_array(bias, "side.bias"))
    model.graph.node.extend([
        onnx.helper.make_node("GlobalAveragePool", ["/Relu_1_output_0"], ["pooled"], "/side/Pool"),
        onnx.helper.make_node("Flatten", ["pooled"], ["flat"], "/side/Flatten"),
        onnx.helper.make_node("Gemm", ["flat", "side.weight", "side.bias"], ["side"], "/side/Gemm"),
    ])  # fmt: skip
    model.graph.output.append(onnx.helper.make_tensor_value_info("side", 1, ["batch", 4]))
    onnx.save(model, str(path))
    return path


def test_each_end_of_a_network_has_its_own_number(digits, compare, tmp_path):
    fp32, int8 = two_heads(digits, tmp_path / "fp32.onnx"), tmp_path / "int8.onnx"
    digits.quantize(fp32, int8)
    sound = verify(compare, fp32, int8, digits)
    ends = sound["verified_layers"]
    assert sorted(ends) == ["/head/Gemm", "/side/Gemm"]
    kept = dict(zip(ends, sound["verified"][0]["layer_sqnr_db"]))
    assert sound["verified"][0]["sqnr_db"] == pytest.approx(np.mean(list(kept.values())))
    for broken, touched in (
        ("side", {"/side/Gemm"}), ("conv3", {"/head/Gemm"}), ("conv1", set(ends)),
    ):  # fmt: skip
        model = Editor(int8)
        scale = f"{broken}.weight_scale"
        model.set(scale, model.get(scale) * np.float32(0.5))
        report = verify(compare, fp32, model.save(tmp_path / "broken.onnx"), digits)
        assert report["verified_layers"] == ends
        before, after = report["verified"][0], runs_of(report)[0]
        assert after["parts"] == [{"layer": layer_of(f"{broken}.weight", fp32), "part": "weight"}]
        for end, old, new in zip(ends, before["layer_sqnr_db"], after["layer_sqnr_db"]):
            assert old < kept[end] - 6 if end in touched else old == pytest.approx(kept[end])
            assert new > kept[end] - 0.5 if end in touched else new == old
    text = run_compare(fp32, int8, "--data", digits.data, "--verify").stdout
    assert "Output SQNR of the last 2 layers with parts in float:" in text
    header = next(line for line in text.splitlines() if "measured on" in line)
    assert header.split("samples")[1].split() == ["mean", "dB", *(f"'{end}'" for end in ends)]


def four_bits(weights, block=16):
    """Returns weights [K, N] in the format of MatMulNBits, symmetric: codes and scales."""
    blocks = weights.T.reshape(weights.shape[1], -1, block)
    scales = np.abs(blocks).max(2) / 7
    codes = np.clip(np.round(blocks / scales[..., None]) + 8, 0, 15).astype(np.uint8)
    return codes[..., 0::2] | codes[..., 1::2] << 4, scales.astype(np.float32)


def products(path, weights, quantized=(), broken=None):
    """x -> product -> Relu -> product -> …; the products in `quantized` have weights of four bits.
    """
    nodes, constants, tensor = [], [], "x"
    for i, values in enumerate(weights):
        name, last = f"/fc{i}/MatMul", i == len(weights) - 1
        output = "logits" if last else f"sum{i}"
        if i in quantized:
            codes, scales = four_bits(values)
            scales = scales * np.float32(0.5) if i == broken else scales
            constants += [numpy_helper.from_array(codes, f"w{i}_Q4")]
            constants += [numpy_helper.from_array(scales.reshape(-1), f"w{i}_scales")]
            nodes.append(onnx.helper.make_node(
                "MatMulNBits", [tensor, f"w{i}_Q4", f"w{i}_scales"], [output], f"{name}_Q4",
                domain="com.microsoft", K=values.shape[0], N=values.shape[1], bits=4, block_size=16,
            ))  # fmt: skip
        else:
            constants.append(numpy_helper.from_array(values, f"w{i}"))
            nodes.append(onnx.helper.make_node("MatMul", [tensor, f"w{i}"], [output], name))
        if not last:
            tensor = f"relu{i}"
            nodes.append(onnx.helper.make_node("Relu", [output], [tensor], f"/fc{i}/Relu"))
    graph = onnx.helper.make_graph(
        nodes, "products",
        [onnx.helper.make_tensor_value_info("x", 1, ["batch", weights[0].shape[0]])],
        [onnx.helper.make_tensor_value_info("logits", 1, ["batch", weights[-1].shape[1]])],
        constants,
    )  # fmt: skip
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("com.microsoft", 1)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), str(path))
    return path


def test_weights_of_four_bits_are_restored(compare, tmp_path):
    random = np.random.default_rng(5)
    weights = [random.normal(size=(64, 64)).astype(np.float32) / 8 for _ in range(3)]
    x = random.normal(size=(8, 64)).astype(np.float32)
    np.savez(tmp_path / "x.npz", x=x)
    fp32 = products(tmp_path / "fp32.onnx", weights)
    int4 = products(tmp_path / "int4.onnx", weights, quantized=range(3), broken=1)
    report = compare(fp32, int4, "--data", tmp_path / "x.npz", "--verify")

    def kept(quantized, broken):
        path = products(tmp_path / "oracle.onnx", weights, quantized, broken)
        a, b = (
            np.concatenate(
                [
                    onnxruntime.InferenceSession(str(model)).run(None, {"x": row[None]})[0]
                    for row in x
                ]
            ).astype(np.float64)
            for model in (fp32, path)
        )
        return 10 * np.log10((a**2).sum() / ((a - b) ** 2).sum())

    assert report["verified"][0]["sqnr_db"] == pytest.approx(kept(range(3), 1), abs=1e-4)
    first = runs_of(report)[0]
    assert first["parts"] == [{"layer": "/fc1/MatMul", "part": "weight"}]
    assert first["sqnr_db"] == pytest.approx(kept([0, 2], None), abs=1e-4)
    (everything,) = runs_of(report, "everything", 0)
    assert everything["sqnr_db"] is None or everything["sqnr_db"] > EXACT_DB

    sound = products(tmp_path / "sound.onnx", weights, quantized=range(3))
    alone = runs_of(
        compare(fp32, sound, "--data", tmp_path / "x.npz", "--verify"), "all_but_parts"
    )
    assert alone
    for run in alone:
        layer = int(run["parts"][0]["layer"][3])
        assert run["sqnr_db"] == pytest.approx(kept([layer], None), abs=1e-4)


def test_weights_that_were_pruned_are_restored_too(digits, compare, tmp_path):
    pruned = Editor(digits.fp32)
    weights = pruned.get("conv2.weight")
    weights[np.abs(weights) < np.quantile(np.abs(weights), 0.8)] = 0
    pruned.set("conv2.weight", weights)
    report = verify(compare, digits.fp32, pruned.save(tmp_path / "pruned.onnx"), digits)
    assert report["verified"][0]["sqnr_db"] < 30
    (run,) = [
        run for run in runs_of(report)
        if run["parts"] == [{"layer": "/conv2/Conv", "part": "weight"}]
    ]
    assert run["sqnr_db"] is None or run["sqnr_db"] > EXACT_DB


def test_what_cannot_be_restored_changes_nothing_else(digits, compare, tmp_path):
    qop = tmp_path / "qop.onnx"
    quantize_static(
        str(digits.fp32), str(qop), Reader(digits.images[:50]), quant_format=QuantFormat.QOperator
    )
    flags = ["--data", digits.data, "--samples", 4]
    report = compare(digits.fp32, qop, *flags, "--verify")
    assert "in the QDQ format can be verified" in report["why_not_verified"]
    assert report["verified"] == [] and report["verified_layers"] == []
    plain = compare(digits.fp32, qop, *flags)
    assert plain == {**report, "why_not_verified": ""}
    without = compare(digits.fp32, digits.int8, "--samples", 0, "--verify")
    assert without["why_not_verified"] == "no samples were asked for"
    same = compare(digits.fp32, digits.fp32, *flags, "--verify")
    assert same["verified"] == [] and same["why_not_verified"] != ""


def test_the_report_has_a_table(digits, tmp_path):
    fp32, int8 = outlier_channel(digits), tmp_path / "int8.onnx"
    digits.quantize(fp32, int8)
    result = run_compare(fp32, int8, "--data", digits.data, "--verify", "2")
    assert result.returncode == 0, result.stderr
    table = result.stdout[result.stdout.index("Output SQNR of the last layer, '/head/Gemm', with parts in float:") :]
    lines = table.split("\n\n")[0].splitlines()
    assert lines[1].split() == ["measured", "on", "20", "samples", "dB"]
    assert lines[2].split()[:3] == ["as", "it", "is"]
    assert any("'/conv2/Conv' weights in float" in line for line in lines), lines
    assert any("the 2 red layers in float" in line for line in lines), lines
    assert lines[-1].split()[:3] == ["everything", "in", "float"]
    usage = run_compare(fp32, int8, "--verify", "many")
    assert usage.returncode == 2 and "--verify" in usage.stderr


def test_parts_of_layers_that_are_green_are_not_tried(digits, compare):
    report = verify(compare, digits.fp32, digits.int8, digits)
    assert all(layer["level"] == "green" for layer in report["layers"])
    assert runs_of(report) == []
    assert [run["restored"] for run in report["verified"]][:4] == [
        "nothing", "all_weights", "all_outputs", "everything",
    ]
    assert_oracled(report, digits.fp32, digits.int8, digits.images[:SAMPLES])
