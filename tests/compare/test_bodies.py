"""Layers inside of If, Loop and Scan: their weights are compared like others, each with its partner
in the same body; their outputs cannot be captured."""

import numpy as np
import onnx
import pytest
from conftest import run_compare
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_tensor_value_info as value
from onnxruntime.quantization import QuantType, quantize_dynamic
from recurrent_models import Codes, channel_sqnr_db, constant, dequantized, saved, sqnr_db
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
    assert set(layers) == {"first", "choose/then_branch/product", "choose/else_branch/product"}
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

    def product(name, nodes, **described):
        constants = codes[name].constants(name) if codes else [constant(name, weights[name])]
        nodes = dequantizing(nodes, [name], codes) if codes else nodes
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
    report = compare(fp32, int8, "--verify")
    layers = by_name(report)
    assert set(layers) == {"repeat/body/step", "walk/body/step"}
    for name, layer in layers.items():
        weight = name.split("/")[0] + ".weight"
        zero = np.zeros(SIZE, np.int8)
        check(
            layer, weights[weight], dequantized(codes[weight].codes, codes[weight].scale, zero, 1)
        )
        check_inside(layer)
    # Nothing could be seen of a run, so none was made.
    assert (
        report["samples"] == 0
        and report["why_not_run"] == "no layer has an output that can be captured"
    )
    assert report["verified"] == [] and report["why_not_verified"] == report["why_not_run"]
    assert len(report["remarks"]) == 1 and REMARK in report["remarks"][0]


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
    assert set(layers) == {"choose/then_branch/a", "choose/else_branch/b"}
    real = dequantized(codes.codes, codes.scale, np.zeros(SIZE, np.int8), 1)
    for name, layer in layers.items():
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
