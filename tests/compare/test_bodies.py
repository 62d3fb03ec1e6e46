"""Layers inside If, Loop and Scan: their weights are compared like others, each with its partner in
the same body; their outputs cannot be captured."""

import numpy as np
import onnx
import pytest
from body_models import (
    SIZE,
    body,
    branches,
    dequantizing,
    dynamic,
    floats,
    loop_and_scan,
    matrix,
    saved_choice,
)
from conftest import run_compare
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_tensor_value_info as value
from recurrent_models import (
    Codes,
    by_name,
    channel_sqnr_db,
    constant,
    dequantized,
    saved,
    sqnr_db,
)
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

REMARK = "inside of If, Loop and Scan: outputs inside of these nodes cannot be captured"


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from graphs(attribute.g)


def dequantized_weight(path, weight, which):
    """Returns the weight of the MatMulInteger in the `which`-th body, dequantized by ONNX Runtime.
    """
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
    # Only the output of the If can be captured, not its layers.
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


def test_a_model_that_made_up_samples_do_not_fit_is_compared_by_its_weights(compare, tmp_path):
    """The whole model is in an If, and sizes of its inputs depend on each other, which no file can
    state.
    """

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
    # With the right shape, or with samples, the model is run; samples that do not fit are an error.
    shaped = compare(fp32, int8, "--shape", f"past=1,{SIZE}")
    assert by_name(shaped)["choose"]["accumulated"]["sqnr_db"] > 30
    data = tmp_path / "samples.npz"
    x = np.ones((3, 1, SIZE), np.float32)
    np.savez(data, x=x, past=x[..., 2:], condition=np.ones(3, bool))
    failed = run_compare(fp32, int8, "--data", data)
    assert failed.returncode == 1 and "add" in failed.stderr


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
    # The name that the quantizer gives it.
    assert worst["float_nodes"] == ["product"]
    kept = dynamic(fp32, tmp_path / "kept.onnx", nodes_to_exclude=worst["float_nodes"])
    assert sum(n.name == "product" for g in graphs(onnx.load(str(kept)).graph) for n in g.node) == 2


def test_a_weight_of_both_branches(compare, tmp_path):
    """Stored once, outside: each branch has a layer with it, which is paired within the branch."""
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
    """Optimizers move the selected branch into the main graph: layers are then paired by their
    weights.
    """
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
