"""Layers inside of If, Loop and Scan: their weights are compared like others, each with its partner
in the same body; their outputs cannot be captured."""

import numpy as np
import onnx
import pytest
from conftest import run_compare
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_tensor_value_info as value
from onnxruntime.quantization import QuantType, quantize_dynamic
from recurrent_models import (
    Codes,
    channel_sqnr_db,
    constant,
    dequantized,
    saved,
    session,
    sqnr_db,
)
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

SIZE = 24
REMARK = "inside of If, Loop and Scan, only weights are compared"


def saved_choice(path, nodes, constants):
    """A model of x and the condition that an If asks."""
    inputs = [floats("x"), value("condition", TensorProto.BOOL, [])]
    return saved(path, nodes, inputs, [floats("y")], constants)


def matrix(seed):
    return np.random.default_rng(seed).normal(size=(SIZE, SIZE)).astype(np.float32)


def body(nodes, outputs, inputs=(), initializers=()):
    return helper.make_graph(nodes, "body", list(inputs), list(outputs), list(initializers))


def floats(name):
    return value(name, TensorProto.FLOAT, [1, SIZE])


def by_name(report):
    return {layer["name"]: layer for layer in report["layers"]}


def branches(path, then_weight, else_weight, outer=True):
    """x -> MatMul "first" -> If "choose", both of whose branches have a MatMul "product". The then-
    branch takes a weight of the outer graph, the else-branch one of its own, of the same name if it
    is not `outer`."""
    then_name = "outer.weight" if outer else "weight"
    then_branch = body(
        [helper.make_node("MatMul", ["hidden", then_name], ["there"], "product")],
        [floats("there")],
        initializers=[] if outer else [constant("weight", then_weight)],
    )
    else_branch = body(
        [helper.make_node("MatMul", ["hidden", "weight"], ["there_too"], "product")],
        [floats("there_too")],
        initializers=[constant("weight", else_weight)],
    )
    nodes = [
        helper.make_node("MatMul", ["x", "first.weight"], ["hidden"], "first"),
        helper.make_node(
            "If", ["condition"], ["y"], "choose", then_branch=then_branch, else_branch=else_branch
        ),
    ]
    constants = [constant("first.weight", matrix(1))]
    if outer:
        constants.append(constant("outer.weight", then_weight))
    return saved_choice(path, nodes, constants)


def dynamic(fp32, path, **options):
    """By ONNX Runtime, which quantizes weights of a body where the body itself has them."""
    quantize_dynamic(
        str(fp32), str(path), weight_type=QuantType.QInt8,
        extra_options={"EnableSubgraph": True, "DefaultTensorType": TensorProto.FLOAT}, **options,
    )  # fmt: skip
    return path


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from graphs(attribute.g)


def dequantized_weight(path, weight, which):
    """The weight of the MatMulInteger in the `which`-th body, dequantized by ONNX Runtime."""
    everything = list(graphs(onnx.load(str(path)).graph))
    for graph in (everything[which], everything[0]):
        found = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        if f"{weight}_quantized" in found:
            codes, scale, zero = (
                found[f"{weight}_{part}"] for part in ("quantized", "scale", "zero_point")
            )
            return dequantized(codes, scale, zero, axis=1 if scale.size > 1 else 0)
    raise KeyError(weight)


def check(layer, ours, theirs):
    assert layer["weight"]["sqnr_db"] == pytest.approx(sqnr_db(ours, theirs), abs=1e-3)
    channels = channel_sqnr_db(ours.T, theirs.T)
    assert layer["weight"]["worst_channel"] == channels.argmin()
    assert layer["weight"]["worst_channel_sqnr_db"] == pytest.approx(channels.min(), abs=1e-3)


def check_inside(layer):
    assert layer["is_in_body"]
    assert layer["accumulated"] is None and layer["local"] is None and layer["saturation"] is None


@pytest.mark.parametrize("outer", [True, False], ids=["weight_outside", "same_names"])
def test_branches_of_the_real_quantizer(compare, tmp_path, outer):
    then_weight, else_weight = matrix(2), matrix(3)
    fp32 = branches(tmp_path / "fp32.onnx", then_weight, else_weight, outer)
    int8 = dynamic(fp32, tmp_path / "int8.onnx", per_channel=True)
    operators = [[n.op_type for n in g.node] for g in graphs(onnx.load(str(int8)).graph)]
    assert all("MatMulInteger" in each for each in operators), operators
    report = compare(fp32, int8)
    layers = by_name(report)
    inside = {"choose/then_branch/product", "choose/else_branch/product"}
    assert set(layers) == {"first", "choose", *inside}
    # What the If gives out is all that can be seen of what is in it.
    assert layers["choose"]["op_type"] == "If" and layers["choose"]["weight"] is None
    assert layers["choose"]["accumulated"]["sqnr_db"] > 20 and not layers["choose"]["is_in_body"]
    # The main graph comes first, then the bodies in the order of their attributes.
    order = [
        a.name for n in onnx.load(str(int8)).graph.node if n.op_type == "If" for a in n.attribute
    ]
    for branch, ours in (("then_branch", then_weight), ("else_branch", else_weight)):
        layer = layers[f"choose/{branch}/product"]
        name = "outer.weight" if outer and branch == "then_branch" else "weight"
        check(layer, ours, dequantized_weight(int8, name, 1 + order.index(branch)))
        check_inside(layer)
        assert layer["node"] == "product" and layer["variant_name"].startswith(f"choose/{branch}/")
    assert layers["first"]["accumulated"]["sqnr_db"] > 20 and not layers["first"]["is_in_body"]
    assert [remark for remark in report["remarks"] if REMARK in remark] == report["remarks"]
    assert len(report["remarks"]) == 1 and "the 2 layers" in report["remarks"][0]
    text = run_compare(fp32, int8).stdout
    assert text.count(REMARK) == 1


def dequantizing(nodes, names, codes):
    """`nodes` behind a DequantizeLinear for each of these weights."""
    return [codes[name].node(name) for name in names] + nodes


def loop_and_scan(path, weights, codes=None):
    """x -> Loop "repeat" -> Scan "walk", with a MatMul "step" in the body of each."""

    codes = codes or {}

    def product(name, nodes, **described):
        is_code = name in codes
        constants = codes[name].constants(name) if is_code else [constant(name, weights[name])]
        nodes = dequantizing(nodes, [name], codes) if is_code else nodes
        return body(nodes, initializers=constants, **described)

    repeat = product(
        "repeat.weight",
        [
            helper.make_node("Identity", ["going"], ["go_on"], "go on"),
            helper.make_node("MatMul", ["state", "repeat.weight"], ["product"], "step"),
            helper.make_node("Tanh", ["product"], ["next"], "bend"),
        ],
        inputs=[
            value("i", TensorProto.INT64, []),
            value("going", TensorProto.BOOL, []),
            floats("state"),
        ],
        outputs=[value("go_on", TensorProto.BOOL, []), floats("next")],
    )
    walk = product(
        "walk.weight",
        [helper.make_node("MatMul", ["row", "walk.weight"], ["out"], "step")],
        inputs=[floats("row")],
        outputs=[floats("out")],
    )
    nodes = [
        helper.make_node("Loop", ["times", "", "x"], ["looped"], "repeat", body=repeat),
        helper.make_node("Unsqueeze", ["looped", "axes"], ["rows"], "rows"),
        helper.make_node("Scan", ["rows"], ["y"], "walk", body=walk, num_scan_inputs=1),
    ]
    constants = [constant("times", np.int64(3)), constant("axes", np.array([0], np.int64))]
    outputs = [value("y", TensorProto.FLOAT, [1, 1, SIZE])]
    return saved(path, nodes, [floats("x")], outputs, constants)


def test_loops_and_scans(compare, tmp_path):
    weights = {"repeat.weight": matrix(4), "walk.weight": matrix(5)}
    codes = {name: Codes(values, 1) for name, values in weights.items()}
    fp32 = loop_and_scan(tmp_path / "fp32.onnx", weights)
    int8 = loop_and_scan(tmp_path / "int8.onnx", weights, codes)
    report = compare(fp32, int8)
    layers = by_name(report)
    assert set(layers) == {"repeat/body/step", "walk/body/step", "repeat", "walk"}
    for node in ("repeat", "walk"):
        layer = layers[f"{node}/body/step"]
        zero = np.zeros(SIZE, np.int8)
        real = dequantized(codes[f"{node}.weight"].codes, codes[f"{node}.weight"].scale, zero, 1)
        check(layer, weights[f"{node}.weight"], real)
        check_inside(layer)
        assert layers[node]["accumulated"]["sqnr_db"] > 20
    assert len(report["remarks"]) == 1 and REMARK in report["remarks"][0]


def answers(path, data):
    """What ONNX Runtime gives for each sample."""
    model = session(onnx.load(str(path)))
    with np.load(data) as loaded:
        samples = zip(*(loaded[name] for name in loaded))
        rows = [dict(zip(loaded, map(np.asarray, sample))) for sample in samples]
    return np.stack([model.run(["y"], row)[0] for row in rows])


def broken_codes(weights, name):
    """Codes of all weights, one of which has a wrong scale."""
    codes = {each: Codes(values, 1) for each, values in weights.items()}
    codes[name].scale = (codes[name].scale * np.float32(0.5)).astype(np.float32)
    return codes


def check_verified(report, layer, fp32, restored, data):
    """A run with the weights of `layer` put back gives what a file with these weights gives."""
    run = next(run for run in report["verified"] if run["restored"] == "parts")
    assert run["parts"] == [{"layer": layer, "part": "weight"}]
    expected = sqnr_db(answers(fp32, data), answers(restored, data))
    assert run["sqnr_db"] == pytest.approx(expected, abs=0.05)
    assert run["sqnr_db"] > report["verified"][0]["sqnr_db"] + 10
    everything = next(run for run in report["verified"] if run["restored"] == "everything")
    assert everything["sqnr_db"] is None or everything["sqnr_db"] > 100


@pytest.mark.parametrize("name", ["repeat", "walk"])
def test_weights_in_loops_and_scans_are_restored(compare, tmp_path, name):
    weights = {"repeat.weight": matrix(4), "walk.weight": matrix(5)}
    codes = broken_codes(weights, f"{name}.weight")
    fp32 = loop_and_scan(tmp_path / "fp32.onnx", weights)
    int8 = loop_and_scan(tmp_path / "int8.onnx", weights, codes)
    sound = {each: code for each, code in codes.items() if each != f"{name}.weight"}
    restored = loop_and_scan(tmp_path / "restored.onnx", weights, sound)
    data = tmp_path / "samples.npz"
    np.savez(data, x=np.random.default_rng(9).normal(size=(5, 1, SIZE)).astype(np.float32))
    report = compare(fp32, int8, "--data", data, "--verify")
    assert report["verified_layers"] == ["walk"]
    check_verified(report, f"{name}/body/step", fp32, restored, data)


def nested(path, weights, codes, activation=None):
    """An If in a Loop, and its weights: of the branch, of the Loop's body, of the main graph. With
    an `activation`, the scale by which the branch rounds what it has computed."""

    def stored(name):
        return codes[name].constants(name) if name in codes else [constant(name, weights[name])]

    def quantizers(names):
        return [codes[name].node(name) for name in names if name in codes]

    def branch(output, name, *initializers):
        product = helper.make_node("MatMul", ["state", name], [output], "product")
        names = [name] if initializers else []
        return body(
            quantizers(names) + [product], [floats(output)],
            initializers=[t for each in names for t in stored(each)],
        )  # fmt: skip

    rounded = body(
        quantizers(["own"])
        + [helper.make_node("MatMul", ["state", "own"], ["exact"], "product")]
        + (
            [
                helper.make_node("QuantizeLinear", ["exact", "step"], ["codes"], "quantize"),
                helper.make_node("DequantizeLinear", ["codes", "step"], ["there"], "dequantize"),
            ]
            if activation
            else [helper.make_node("Identity", ["exact"], ["there"], "pass")]
        ),
        [floats("there")],
        initializers=stored("own")
        + ([constant("step", np.float32(activation))] if activation else []),
    )
    repeat = body(
        [
            helper.make_node("Identity", ["going"], ["go_on"], "go on"),
            *quantizers(["middle"]),
            helper.make_node(
                "If", ["condition"], ["chosen"], "choose",
                then_branch=rounded, else_branch=branch("there_too", "outer"),
            ),
            helper.make_node("MatMul", ["chosen", "middle"], ["mixed"], "mix"),
            helper.make_node("Tanh", ["mixed"], ["next"], "bend"),
        ],
        [value("go_on", TensorProto.BOOL, []), floats("next")],
        inputs=[
            value("i", TensorProto.INT64, []),
            value("going", TensorProto.BOOL, []),
            floats("state"),
        ],
        initializers=stored("middle"),
    )  # fmt: skip
    loop = helper.make_node("Loop", ["times", "", "x"], ["y"], "repeat", body=repeat)
    constants = [constant("times", np.int64(2)), *stored("outer")]
    return saved_choice(path, [*quantizers(["outer"]), loop], constants)


LAYER_OF = {
    "own": "repeat/body/choose/then_branch/product",
    "middle": "repeat/body/mix",
    "outer": "repeat/body/choose/else_branch/product",
}


@pytest.mark.parametrize("name", LAYER_OF)
def test_weights_of_bodies_in_bodies_are_restored(compare, tmp_path, name):
    weights = {each: matrix(20 + i) / 4 for i, each in enumerate(LAYER_OF)}
    codes = broken_codes(weights, name)
    fp32 = nested(tmp_path / "fp32.onnx", weights, {})
    int8 = nested(tmp_path / "int8.onnx", weights, codes)
    sound = {each: code for each, code in codes.items() if each != name}
    restored = nested(tmp_path / "restored.onnx", weights, sound)
    data = tmp_path / "samples.npz"
    x = np.random.default_rng(9).normal(size=(6, 1, SIZE)).astype(np.float32)
    np.savez(data, x=x, condition=np.arange(6) % 2 == 0)
    report = compare(fp32, int8, "--data", data, "--verify")
    check_verified(report, LAYER_OF[name], fp32, restored, data)


def test_activations_in_bodies_are_float_with_all_outputs(compare, tmp_path):
    weights = {each: matrix(20 + i) / 4 for i, each in enumerate(LAYER_OF)}
    codes = {each: Codes(values, 1) for each, values in weights.items()}
    fp32 = nested(tmp_path / "fp32.onnx", weights, {})
    int8 = nested(tmp_path / "int8.onnx", weights, codes, activation=0.2)
    without = nested(tmp_path / "without.onnx", weights, codes)
    data = tmp_path / "samples.npz"
    x = np.random.default_rng(9).normal(size=(4, 1, SIZE)).astype(np.float32)
    np.savez(data, x=x, condition=np.ones(4, bool))
    runs = {run["restored"]: run for run in compare(fp32, int8, "--data", data, "--verify")["verified"]}
    expected = sqnr_db(answers(fp32, data), answers(without, data))
    assert runs["all_outputs"]["sqnr_db"] == pytest.approx(expected, abs=0.05)
    assert runs["everything"]["sqnr_db"] is None or runs["everything"]["sqnr_db"] > 100


def test_a_model_that_made_up_samples_do_not_fit_is_compared_by_its_weights(compare, tmp_path):
    """All of it is in an If, and sizes of its inputs belong together, which no file can say."""

    def model(path, weight, codes=None):
        product = helper.make_node("MatMul", ["sum", "weight"], ["a"], "product")
        then_branch = body(
            [
                helper.make_node("Add", ["x", "past"], ["sum"], "add"),
                *([codes.node("weight")] if codes else []),
                product,
            ],
            [floats("a")],
            initializers=codes.constants("weight") if codes else [constant("weight", weight)],
        )
        else_branch = body([helper.make_node("Identity", ["x"], ["b"], "same")], [floats("b")])
        choose = helper.make_node(
            "If", ["condition"], ["y"], "choose", then_branch=then_branch, else_branch=else_branch
        )
        past = value("past", TensorProto.FLOAT, [1, "past length"])
        inputs = [floats("x"), past, value("condition", TensorProto.BOOL, [])]
        return saved(path, [choose], inputs, [floats("y")])

    weight = matrix(30)
    fp32 = model(tmp_path / "fp32.onnx", weight)
    int8 = model(tmp_path / "int8.onnx", weight, Codes(weight, 1))
    report = compare(fp32, int8, "--verify")
    assert set(by_name(report)) == {"choose/then_branch/product"}
    assert report["samples"] == 0 and "--shape past=SIZES" in report["why_not_run"]
    assert report["why_not_verified"] == report["why_not_run"]
    # With the shape that it takes, or with samples, it is run; samples that do not fit are an error.
    shaped = compare(fp32, int8, "--shape", f"past=1,{SIZE}")
    assert by_name(shaped)["choose"]["accumulated"]["sqnr_db"] > 30
    data = tmp_path / "samples.npz"
    x = np.ones((3, 1, SIZE), np.float32)
    np.savez(data, x=x, past=x[..., 2:], condition=np.ones(3, bool))
    failed = run_compare(fp32, int8, "--data", data)
    assert failed.returncode == 1 and "add" in failed.stderr


def test_dynamic_quantization_is_undone_in_branches_too(compare, tmp_path):
    fp32 = branches(tmp_path / "fp32.onnx", matrix(2), matrix(3), outer=False)
    int8 = dynamic(fp32, tmp_path / "int8.onnx", per_channel=True)
    data = tmp_path / "samples.npz"
    x = np.random.default_rng(9).normal(size=(4, 1, SIZE)).astype(np.float32)
    np.savez(data, x=x, condition=np.arange(4) % 2 == 0)
    report = compare(fp32, int8, "--data", data, "--verify")
    runs = {run["restored"]: run for run in report["verified"]}
    assert report["verified_layers"] == ["choose"]
    assert runs["nothing"]["sqnr_db"] < 60
    assert runs["everything"]["sqnr_db"] is None or runs["everything"]["sqnr_db"] > 100
    assert not any("--verify" in remark for remark in report["remarks"])


@pytest.mark.parametrize("branch", ["then_branch", "else_branch"])
def test_a_fault_is_found_in_its_branch(compare, tmp_path, branch):
    """Both branches have the same names and weights; one has a wrong scale."""
    weight = matrix(6)
    fp32 = branches(tmp_path / "fp32.onnx", weight, weight, outer=False)
    int8 = onnx.load(str(dynamic(fp32, tmp_path / "int8.onnx")))
    choose = next(node for node in int8.graph.node if node.op_type == "If")
    graph = next(attribute.g for attribute in choose.attribute if attribute.name == branch)
    scale = next(t for t in graph.initializer if t.name == "weight_scale")
    scale.CopyFrom(constant(scale.name, numpy_helper.to_array(scale) * np.float32(0.4)))
    onnx.save(int8, str(tmp_path / "broken.onnx"))
    report = compare(fp32, tmp_path / "broken.onnx")
    worst = report["layers"][0]
    assert (worst["name"], worst["cause"], worst["level"]) == (
        f"choose/{branch}/product",
        "wrong_scale",
        "red",
    )
    assert [layer["name"] for layer in report["layers"] if layer["level"] == "red"] == [
        worst["name"]
    ]
    # What the quantizer calls it.
    assert worst["float_nodes"] == ["product"]
    kept = dynamic(fp32, tmp_path / "kept.onnx", nodes_to_exclude=worst["float_nodes"])
    assert sum(n.name == "product" for g in graphs(onnx.load(str(kept)).graph) for n in g.node) == 2


def test_a_weight_of_both_branches(compare, tmp_path):
    """Stored once, outside: a layer of each branch has it, and each is paired in its branch."""
    weight, codes = matrix(8), Codes(matrix(8), 1)

    def model(path, quantized):
        def branch(output):
            return body(
                [helper.make_node("MatMul", ["x", "shared"], [output], "")], [floats(output)]
            )

        choose = helper.make_node(
            "If", ["condition"], ["y"], "choose", then_branch=branch("a"), else_branch=branch("b")
        )
        nodes = dequantizing([choose], ["shared"], {"shared": codes}) if quantized else [choose]
        constants = codes.constants("shared") if quantized else [constant("shared", weight)]
        return saved_choice(path, nodes, constants)

    layers = by_name(
        compare(model(tmp_path / "fp32.onnx", False), model(tmp_path / "int8.onnx", True))
    )
    inside = {"choose/then_branch/a", "choose/else_branch/b"}
    assert set(layers) == {"choose", *inside}
    real = dequantized(codes.codes, codes.scale, np.zeros(SIZE, np.int8), 1)
    for name, layer in ((name, layers[name]) for name in inside):
        check(layer, weight, real)
        assert layer["variant_name"] == name


def test_an_if_that_is_gone_is_no_obstacle(compare, tmp_path):
    """Optimizers keep the branch that is taken, in the main graph: then the weights tell."""
    weight, other = matrix(2), matrix(3)
    fp32 = branches(tmp_path / "fp32.onnx", weight, other)
    codes = Codes(weight, 1)
    int8 = saved(
        tmp_path / "int8.onnx",
        [
            helper.make_node("MatMul", ["x", "first.weight"], ["hidden"], "first"),
            codes.node("renamed"),
            helper.make_node("MatMul", ["hidden", "renamed"], ["y"], "inlined"),
        ],
        [floats("x"), value("condition", TensorProto.BOOL, [])],
        [floats("y")],
        [constant("first.weight", matrix(1)), *codes.constants("renamed")],
    )
    report = compare(fp32, int8, "--samples", 0)
    layer = by_name(report)["choose/then_branch/product"]
    assert (layer["variant_name"], layer["paired_by"]) == ("inlined", "content")
    check(layer, weight, dequantized(codes.codes, codes.scale, np.zeros(SIZE, np.int8), 1))
    assert report["baseline_only"] == ["choose/else_branch/product"]


def test_events_of_layers_in_bodies(tmp_path):
    fp32 = branches(tmp_path / "fp32.onnx", matrix(2), matrix(3))
    int8 = dynamic(fp32, tmp_path / "int8.onnx")
    result = run_compare(fp32, int8, "--logdir", tmp_path / "log", "--verify")
    assert result.returncode == 0, result.stderr
    events = EventAccumulator(str(tmp_path / "log")).Reload()
    tag = "fp32/layers/choose/then_branch/product/sqnr_db/int8"
    assert events.Scalars(tag)[0].value > 20
    assert '"node":"product"' in events.SummaryMetadata(tag).plugin_data.content.decode()
