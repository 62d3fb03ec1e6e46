"""Shapes for models with unknown sizes, compared with the onnx package: its shape inference of the
same model with fixed sizes, and its reference evaluator."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from conftest import run_dump
from onnx_models import RNG, f32, save


def ints(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def floats(name, *shape):
    return numpy_helper.from_array(RNG.normal(size=shape).astype(np.float32), name)


def fixed(model, shapes):
    """Returns the model with its inputs declared as `shapes`, and without information about other
    tensors.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    for value in copy.graph.input:
        dims = value.type.tensor_type.shape.dim
        for dim, size in zip(dims, shapes[value.name], strict=True):
            dim.dim_value = size
    del copy.graph.value_info[:]
    for value in copy.graph.output:
        value.type.tensor_type.ClearField("shape")
    return copy


def typed(shapes):
    return [f"{name}={','.join(map(str, shape))}" for name, shape in shapes.items()]


def computed_shapes(model, shapes):
    """Returns the shapes of all computed tensors, by computing them."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    names = [name for node in copy.graph.node for name in node.output if name]
    known = {value.name for value in copy.graph.output}
    for name in names:
        if name not in known:
            copy.graph.output.append(onnx.ValueInfoProto(name=name))
    feeds = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    results = ReferenceEvaluator(copy).run(names, feeds)
    return {name: list(np.shape(result)) for name, result in zip(names, results, strict=True)}


def convolutional():
    nodes = [
        helper.make_node("Conv", ["x", "w1"], ["c1"], "c1", pads=[1, 1, 1, 1], strides=[2, 2]),
        helper.make_node("MaxPool", ["c1"], ["p1"], "p1", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Pad", ["p1", "pads"], ["pad"], "pad"),
        helper.make_node("Resize", ["pad", "", "scales"], ["up"], "up"),
        helper.make_node("Shape", ["up"], ["up_shape"], "up_shape"),
        helper.make_node("Slice", ["up_shape", "two", "four"], ["hw"], "hw"),
        helper.make_node("Div", ["hw", "two"], ["half"], "half"),
        helper.make_node("Shape", ["up"], ["nc"], "nc", start=0, end=2),
        helper.make_node("Concat", ["nc", "half"], ["sizes"], "sizes", axis=0),
        helper.make_node("Resize", ["up", "", "", "sizes"], ["down"], "down"),
        helper.make_node("DepthToSpace", ["down"], ["shallow"], "shallow", blocksize=2),
        helper.make_node("Tile", ["shallow", "repeats"], ["tiled"], "tiled"),
        helper.make_node("GlobalAveragePool", ["tiled"], ["pooled"], "pooled"),
        helper.make_node("Flatten", ["pooled"], ["flat"], "flat"),
        helper.make_node("Gemm", ["flat", "w2"], ["y"], "fc"),
    ]
    initializers = [
        floats("w1", 8, 3, 3, 3),
        floats("w2", 4, 10),
        ints("pads", 0, 0, 1, 0, 0, 0, 1, 2),
        ints("two", 2),
        ints("four", 4),
        ints("repeats", 1, 2, 1, 3),
        numpy_helper.from_array(np.array([1, 1, 2, 1.5], np.float32), "scales"),
    ]
    return nodes, [f32("x", "n", 3, "h", "w")], [f32("y", "n", 10)], initializers


def quantized_while_it_runs():
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["codes", "scale", "zero"], "quantize"),
        helper.make_node("ConvInteger", ["codes", "w", "zero"], ["sums"], "conv"),
        helper.make_node("Cast", ["sums"], ["floats"], "cast", to=TensorProto.FLOAT),
        helper.make_node("Mul", ["scale", "w_scale"], ["both"], "both"),
        helper.make_node("Mul", ["floats", "both"], ["y"], "y"),
    ]
    initializers = [
        numpy_helper.from_array(RNG.integers(0, 255, (8, 3, 3, 3)).astype(np.uint8), "w"),
        numpy_helper.from_array(np.float32(0.5), "w_scale"),
    ]
    return nodes, [f32("x", "n", 3, "h", "w")], [f32("y", "n", 8, "a", "b")], initializers


def padded():
    """PyTorch's F.pad: pads of the last dimension first, reordered by a matrix."""
    nodes = [
        helper.make_node("ConstantOfShape", ["four"], ["others"], "others", value=ints("", 0)),
        helper.make_node("Concat", ["pads", "others"], ["all"], "all", axis=0),
        helper.make_node("Reshape", ["all", "pairs"], ["matrix"], "matrix"),
        helper.make_node("Slice", ["matrix", "last", "first", "zero", "last"], ["turned"], "turned"),
        helper.make_node("Transpose", ["turned"], ["columns"], "columns", perm=[1, 0]),
        helper.make_node("Reshape", ["columns", "last"], ["flat"], "flat"),
        helper.make_node("Cast", ["flat"], ["final"], "final", to=TensorProto.INT64),
        helper.make_node("Pad", ["x", "final"], ["y"], "pad", mode="reflect"),
        helper.make_node("Conv", ["y", "w"], ["z"], "conv", strides=[4]),
        helper.make_node("Shape", ["z"], ["shape"], "shape"),
        helper.make_node("Gather", ["turned", "zero"], ["row"], "row", axis=1),
    ]
    initializers = [
        ints("four", 4),
        ints("pads", 5, 7),
        ints("pairs", -1, 2),
        ints("last", -1),
        ints("first", -(2**63)),
        ints("zero", 0),
        floats("w", 6, 2, 9),
    ]
    outputs = [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)]
    return nodes, [f32("x", "n", 2, "t")], outputs, initializers


def sequential():
    """The exported form of x.view(x.shape[0], -1, 4), masks and ranges."""
    nodes = [
        helper.make_node("Shape", ["x"], ["shape"], "shape"),
        helper.make_node("Gather", ["shape", "zero"], ["n"], "n"),
        helper.make_node("Gather", ["shape", "one"], ["t"], "t"),
        helper.make_node("Mul", ["t", "two"], ["t2"], "t2"),
        helper.make_node("Unsqueeze", ["n", "zeros"], ["n1"], "n1"),
        helper.make_node("Concat", ["n1", "t2", "minus"], ["wanted"], "wanted", axis=0),
        helper.make_node("Reshape", ["x", "wanted"], ["r"], "r"),
        helper.make_node("MatMul", ["r", "w"], ["m"], "m"),
        helper.make_node("Transpose", ["m"], ["mt"], "mt", perm=[0, 2, 1]),
        helper.make_node("MatMul", ["m", "mt"], ["scores"], "scores"),
        helper.make_node("Concat", ["t", "t2"], ["both"], "both", axis=0),
        helper.make_node("ReduceProd", ["both", "zeros"], ["count"], "count", keepdims=0),
        helper.make_node("Cast", ["count"], ["as_float"], "as_float", to=TensorProto.FLOAT),
        helper.make_node("Squeeze", ["t2"], ["limit"], "limit"),
        helper.make_node("Range", ["zero", "limit", "unit"], ["range"], "range"),
        helper.make_node("Equal", ["wanted", "minus"], ["is_open"], "is_open"),
        helper.make_node("ConstantOfShape", ["three"], ["ones"], "ones", value=ints("", 1)),
        helper.make_node("Where", ["is_open", "ones", "wanted"], ["closed"], "closed"),
        helper.make_node("Expand", ["row", "closed"], ["expanded"], "expanded"),
        helper.make_node("TopK", ["scores", "one"], ["best", "which"], "best", axis=-1),
        helper.make_node("ArgMax", ["scores"], ["arg"], "arg", axis=1, keepdims=0),
        helper.make_node("Slice", ["scores", "last", "first", "axis", "back"], ["rev"], "rev"),
    ]
    initializers = [
        floats("w", 4, 6),
        floats("row", 1, 1, 1),
        ints("zeros", 0),
        ints("one", 1),
        ints("two", 2),
        ints("three", 3),
        ints("minus", -1),
        ints("last", -1),
        ints("first", -(2**63)),
        ints("axis", 2),
        ints("back", -2),
        numpy_helper.from_array(np.array(0, np.int64), "zero"),
        numpy_helper.from_array(np.array(1, np.int64), "unit"),
    ]
    outputs = [helper.make_tensor_value_info("rev", TensorProto.FLOAT, None)]
    return nodes, [f32("x", "n", "t", 8)], outputs, initializers


@pytest.mark.parametrize("make, shapes", [
    (convolutional, {"x": (1, 3, 48, 320)}),
    (convolutional, {"x": (2, 3, 65, 33)}),
    (quantized_while_it_runs, {"x": (2, 3, 11, 7)}),
    (padded, {"x": (3, 2, 50)}),
    (sequential, {"x": (1, 5, 8)}),
    (sequential, {"x": (3, 12, 8)}),
])  # fmt: skip
def test_given_shapes_reach_every_tensor(tmp_path, dump, make, shapes):
    model = save(tmp_path / "m.onnx", *make())
    ours = dump(tmp_path / "m.onnx", *typed(shapes))
    for name, shape in computed_shapes(model, shapes).items():
        assert ours.tensors[name]["shape"] == shape, name
    # Also compares with ONNX's own inference, if it has a result.
    inferred = onnx.shape_inference.infer_shapes(
        fixed(model, shapes), strict_mode=True, data_prop=True
    )
    found = 0
    for value in inferred.graph.value_info:
        dims = value.type.tensor_type.shape.dim
        if not value.type.tensor_type.HasField("shape") or any(d.dim_param for d in dims):
            continue
        if all(d.HasField("dim_value") for d in dims):
            assert ours.tensors[value.name]["shape"] == [d.dim_value for d in dims], value.name
            found += 1
    assert found >= 4


def test_sizes_that_the_file_names_are_filled_in(tmp_path, dump):
    """Stores a shape for every tensor, as quantizers do, with names for unknown sizes."""
    nodes, inputs, outputs, initializers = convolutional()
    model = helper.make_model(
        helper.make_graph(nodes, "graph", inputs, outputs, initializers),
        opset_imports=[helper.make_opsetid("", 21)],
        ir_version=10,
    )
    model = onnx.shape_inference.infer_shapes(model)
    assert any(d.dim_param for v in model.graph.value_info for d in v.type.tensor_type.shape.dim)
    onnx.save(model, tmp_path / "m.onnx")
    shapes = {"x": (2, 3, 65, 33)}
    ours = dump(tmp_path / "m.onnx", *typed(shapes))
    for name, shape in computed_shapes(model, shapes).items():
        assert ours.tensors[name]["shape"] == shape, name
    assert ours.tensors["y"]["shape"] == [2, 10]


def test_multiply_accumulates_by_hand(tmp_path, dump):
    save(tmp_path / "c.onnx", *convolutional())
    convolution = dump(tmp_path / "c.onnx", "x=2,3,65,33").nodes
    assert convolution["c1"]["macs"] == 2 * 8 * 33 * 17 * 3 * 3 * 3
    assert convolution["fc"]["macs"] == 2 * 4 * 10
    assert convolution["c1"]["output_bytes"] == 4 * 2 * 8 * 33 * 17
    assert dump(tmp_path / "c.onnx").nodes["c1"]["macs"] is None

    save(tmp_path / "s.onnx", *sequential())
    sequence = dump(tmp_path / "s.onnx", "2,5,8").nodes
    assert sequence["m"]["macs"] == 2 * 10 * 4 * 6
    assert sequence["scores"]["macs"] == 2 * 10 * 10 * 6


def branching(condition):
    """If(condition) then x squeezed else x, as exporters write squeeze."""
    branch = {
        "then": helper.make_graph(
            [helper.make_node("Squeeze", ["x", "one"], ["a"], "squeeze")],
            "then",
            [],
            [helper.make_tensor_value_info("a", TensorProto.FLOAT, None)],
        ),
        "else": helper.make_graph(
            [helper.make_node("Identity", ["x"], ["b"], "keep")],
            "else",
            [],
            [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)],
        ),
    }
    nodes = [
        *condition,
        helper.make_node(
            "If", ["is"], ["y"], "if", then_branch=branch["then"], else_branch=branch["else"]
        ),
        helper.make_node("Relu", ["y"], ["z"], "relu"),
    ]
    return (
        nodes,
        [f32("x", "n", "c", 4), helper.make_tensor_value_info("flag", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, None)],
        [ints("one", 1)],
    )


def test_a_branch_is_taken_where_its_condition_is_about_sizes(tmp_path, dump):
    about_sizes = [
        helper.make_node("Shape", ["x"], ["shape"], "shape"),
        helper.make_node("Gather", ["shape", "one"], ["size"], "size"),
        helper.make_node("Equal", ["size", "one"], ["is"], "is"),
    ]
    save(tmp_path / "m.onnx", *branching(about_sizes))
    assert dump(tmp_path / "m.onnx", "x=3,1,4").tensors["z"]["shape"] == [3, 4]
    assert dump(tmp_path / "m.onnx", "x=3,2,4").tensors["z"]["shape"] == [3, 2, 4]

    save(tmp_path / "f.onnx", *branching([helper.make_node("Identity", ["flag"], ["is"], "is")]))
    assert dump(tmp_path / "f.onnx", "x=3,1,4").tensors["z"]["shape"] is None


@pytest.mark.parametrize("shape, says", [
    ("x=1,4,48,320", "differs from the shape of input 'x' float32 [n, 3, h, w]"),
    ("x=1,3,48", "differs from the shape of input 'x' float32 [n, 3, h, w]"),
    ("y=1,3,48,320", "there is no input 'y'; the model has 'x' float32 [n, 3, h, w]"),
    ("x=1,3,48,4294967296", "above 2^31"),
    ("x=1,3,2000000,2000000", "more than 2^40 elements"),
])  # fmt: skip
def test_shapes_that_the_file_does_not_allow(tmp_path, shape, says):
    save(tmp_path / "m.onnx", *convolutional())
    result = run_dump(tmp_path / "m.onnx", tmp_path, shape)
    assert result.returncode == 1 and says in result.stderr
    assert "m.onnx" in result.stderr
