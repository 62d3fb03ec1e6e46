"""Infers shapes of ONNX tensors that no file stores; the oracle is the onnx package's inference."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_models import f32, save


def ints(name, values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def floats(name, values):
    return numpy_helper.from_array(np.array(values, np.float32), name)


def test_shapes_agree_with_onnx(tmp_path, dump):
    nodes = [
        helper.make_node(
            "Conv", ["x", "w"], ["a"], strides=[2, 2], pads=[1, 0, 1, 2], dilations=[1, 2]
        ),
        helper.make_node("MaxPool", ["a"], ["b"], kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
        helper.make_node("AveragePool", ["b"], ["c"], kernel_shape=[2, 2], auto_pad="SAME_UPPER"),
        helper.make_node(
            "ConvTranspose", ["c", "wt"], ["d"], strides=[2, 2], output_padding=[1, 1], group=2
        ),
        helper.make_node("Transpose", ["d"], ["e"], perm=[0, 2, 3, 1]),
        helper.make_node("Slice", ["e", "starts", "ends", "axes", "steps"], ["g"]),
        helper.make_node("Reshape", ["g", "shape"], ["h"]),
        helper.make_node("Split", ["h"], ["s1", "s2", "s3"], axis=1, num_outputs=3),
        helper.make_node("Concat", ["s1", "s3"], ["i"], axis=1),
        helper.make_node("MatMul", ["i", "m"], ["j"]),
        helper.make_node("Unsqueeze", ["j", "ax"], ["k"]),
        helper.make_node("ReduceMean", ["k", "ax"], ["l"], keepdims=0),
        helper.make_node("Gather", ["l", "idx"], ["n"], axis=1),
        helper.make_node("Add", ["n", "row"], ["o"]),
        helper.make_node("Softmax", ["o"], ["p"]),
        helper.make_node("Shape", ["p"], ["sh"]),
        helper.make_node("GlobalAveragePool", ["a"], ["q"]),
        helper.make_node("Squeeze", ["q", "sq"], ["r"]),
        helper.make_node("Expand", ["row", "ex"], ["t"]),
        helper.make_node("Where", ["cond", "row", "t"], ["u"]),
        helper.make_node("Cast", ["u"], ["v"], to=TensorProto.FLOAT16),
    ]

    initializers = [
        numpy_helper.from_array(np.zeros((4, 3, 3, 3), np.float32), "w"),
        numpy_helper.from_array(np.zeros((4, 3, 2, 2), np.float32), "wt"),
        numpy_helper.from_array(np.zeros((6, 5), np.float32), "m"),
        numpy_helper.from_array(np.zeros((1, 5), np.float32), "row"),
        numpy_helper.from_array(np.zeros((7, 1), bool), "cond"),
        ints("starts", [1, -5]),
        ints("ends", [2**62, -1]),
        ints("axes", [1, 2]),
        ints("steps", [2, 1]),
        ints("shape", [0, -1, 6]),
        ints("ax", [1]),
        ints("idx", [0, 1, 2]),
        ints("sq", [2, 3]),
        ints("ex", [7, 5]),
    ]
    model = save(
        tmp_path / "m.onnx",
        nodes,
        [f32("x", 2, 3, 40, 40)],
        [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in ()],
        initializers,
    )
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True)
    ours = dump(tmp_path / "m.onnx")
    expected = {info.name: info for info in inferred.graph.value_info}
    assert len(expected) >= len(nodes)
    for name, info in expected.items():
        shape = [d.dim_value for d in info.type.tensor_type.shape.dim]
        assert ours.tensors[name]["shape"] == shape, name
        assert (
            ours.tensors[name]["type"]
            == {1: "float32", 7: "int64", 10: "float16"}[info.type.tensor_type.elem_type]
        )


@pytest.mark.parametrize("opset", [7, 9, 11, 13, 17, 21])
def test_axes_as_attributes_and_as_inputs(tmp_path, dump, opset):
    axes = numpy_helper.from_array(np.array([2, 3], np.int64), "axes")
    if opset < 13:
        squeeze = helper.make_node("Squeeze", ["x"], ["y"], axes=[2, 3])
        initializers = []
    else:
        squeeze = helper.make_node("Squeeze", ["x", "axes"], ["y"])
        initializers = [axes]
    save(
        tmp_path / "m.onnx",
        [squeeze],
        [f32("x", 2, 5, 1, 1)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        initializers,
        opset=opset,
    )
    assert dump(tmp_path / "m.onnx").tensors["y"]["shape"] == [2, 5]


def shapes_of(values):
    """Returns shapes by name, with -1 for an unknown size."""
    return {
        value.name: [
            d.dim_value if d.HasField("dim_value") else -1 for d in value.type.tensor_type.shape.dim
        ]
        for value in values
        if value.type.tensor_type.HasField("shape")
    }


def node(op, inputs, *outputs, **attributes):
    return helper.make_node(op, inputs, outputs or ["y"], **attributes)


# Expressions of x [2, 12, 8, 6], and the opset they need.
LAYOUTS = {
    "pad, as an attribute": (10, [node("Pad", ["x"], pads=[0, 1, 2, 3, 4, 5, 6, 7])], []),
    "pad": (13, [node("Pad", ["x", "p"])], [ints("p", [0, 1, 2, 3, 4, 5, -6, 7])]),
    "pad of axes": (
        18,
        [node("Pad", ["x", "p", "", "a"])],
        [ints("p", [1, 2, 3, 4]), ints("a", [-1, 1])],
    ),
    "tile": (13, [node("Tile", ["x", "r"])], [ints("r", [1, 2, 3, 1])]),
    "expand": (13, [node("Expand", ["x", "s"])], [ints("s", [5, 1, 12, 1, 1])]),
    "resize by factors, early": (10, [node("Resize", ["x", "s"])], [floats("s", [1, 1, 2, 2.5])]),
    "resize by factors": (13, [node("Resize", ["x", "", "s"])], [floats("s", [1, 1, 0.6, 2.5])]),
    "resize to sizes": (13, [node("Resize", ["x", "", "", "s"])], [ints("s", [2, 12, 5, 7])]),
    "resize of axes": (18, [node("Resize", ["x", "", "", "s"], axes=[3, 2])], [ints("s", [9, 4])]),
    "upsample": (9, [node("Upsample", ["x", "s"])], [floats("s", [1, 1, 2, 3])]),
    "upsample, as an attribute": (7, [node("Upsample", ["x"], scales=[1.0, 1.0, 2.0, 3.0])], []),
    "depth to space": (13, [node("DepthToSpace", ["x"], blocksize=2)], []),
    "space to depth": (13, [node("SpaceToDepth", ["x"], blocksize=2)], []),
    "one hot": (
        13,
        [node("OneHot", ["i", "d", "v"], axis=1)],
        [ints("i", [[1, 2, 3]]), ints("d", [7]), floats("v", [0, 1])],
    ),
    "top k": (13, [node("TopK", ["x", "k"], "y", "z", axis=1)], [ints("k", [3])]),
    "top k, as an attribute": (9, [node("TopK", ["x"], "y", "z", axis=2, k=4)], []),
    "argmax": (13, [node("ArgMax", ["x"], axis=-1)], []),
    "argmin, one dimension less": (13, [node("ArgMin", ["x"], axis=1, keepdims=0)], []),
    "gather of elements": (
        13,
        [node("GatherElements", ["x", "i"], axis=1)],
        [ints("i", np.zeros((2, 3, 8, 6)))],
    ),
    "gather n": (13, [node("GatherND", ["x", "i"])], [ints("i", np.zeros((4, 5, 2)))]),
    "gather n of a batch": (
        13,
        [node("GatherND", ["x", "i"], batch_dims=1)],
        [ints("i", np.zeros((2, 5, 2)))],
    ),
    "scatter": (
        13,
        [node("ScatterND", ["x", "i", "u"])],
        [ints("i", np.zeros((1, 4))), floats("u", [1])],
    ),
    "range": (13, [node("Range", ["a", "b", "c"])], [ints("a", 3), ints("b", 20), ints("c", 4)]),
    "part of a shape": (15, [node("Shape", ["x"], start=1, end=-1)], []),
    "size": (13, [node("Size", ["x"])], []),
    "non-zero": (13, [node("NonZero", ["x"])], []),
    # Cases in which numbers are computed.
    "half of its width": (
        13,
        [
            node("Shape", ["x"], "s"),
            node("Slice", ["s", "two", "four"], "hw"),
            node("Div", ["hw", "three"], "part"),
            node("Slice", ["s", "zero", "two"], "nc"),
            node("Concat", ["nc", "part"], "wanted", axis=0),
            node("Resize", ["x", "", "", "wanted"]),
        ],
        [ints("zero", [0]), ints("two", [2]), ints("three", [3]), ints("four", [4])],
    ),
    "twice its width, in floats": (
        13,
        [
            node("Shape", ["x"], "s"),
            node("Cast", ["s"], "f", to=TensorProto.FLOAT),
            node("Mul", ["f", "twice"], "g"),
            node("Floor", ["g"], "h"),
            node("Cast", ["h"], "wanted", to=TensorProto.INT64),
            node("ConstantOfShape", ["wanted"]),
        ],
        [floats("twice", [1, 1, 2, 1.3])],
    ),
    "expanded as torch does": (
        13,
        [
            node("ConstantOfShape", ["rank"], "ones", value=ints("", [1])),
            node("Mul", ["ones", "minus"], "negative"),
            node("Equal", ["given", "negative"], "keeps"),
            node("Where", ["keeps", "ones", "given"], "wanted"),
            node("Expand", ["x", "wanted"]),
        ],
        [ints("rank", [4]), ints("minus", [-1]), ints("given", [2, -1, 8, -1])],
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts_agree_with_onnx(tmp_path, dump, name):
    opset, nodes, initializers = LAYOUTS[name]
    outputs = [
        helper.make_tensor_value_info(output, TensorProto.UNDEFINED, None)
        for output in nodes[-1].output
    ]
    model = save(
        tmp_path / "m.onnx", nodes, [f32("x", 2, 12, 8, 6)], outputs, initializers, opset=opset
    )
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True).graph
    expected = shapes_of([*graph.value_info, *graph.output])
    ours = dump(tmp_path / "m.onnx").tensors
    assert all(output in expected for output in nodes[-1].output), "the oracle does not know"
    # The onnx package does not compute with floats, nor with the results of a condition; if it
    # leaves a size unknown, ours may know it.
    for tensor, shape in expected.items():
        found = ours[tensor]["shape"]
        assert len(found) == len(shape), tensor
        assert all(theirs in (-1, size) for size, theirs in zip(found, shape)), (
            tensor,
            found,
            shape,
        )


@pytest.mark.parametrize(
    "name, shape",
    [
        ("half of its width", [2, 12, 2, 2]),
        ("twice its width, in floats", [2, 12, 16, 7]),
        ("expanded as torch does", [2, 12, 8, 6]),
        ("resize by factors", [2, 12, 4, 15]),
        ("range", [5]),
    ],
)
def test_layouts_by_hand(tmp_path, dump, name, shape):
    opset, nodes, initializers = LAYOUTS[name]
    y = helper.make_tensor_value_info("y", TensorProto.UNDEFINED, None)
    save(tmp_path / "m.onnx", nodes, [f32("x", 2, 12, 8, 6)], [y], initializers, opset=opset)
    assert dump(tmp_path / "m.onnx").tensors["y"]["shape"] == shape


@pytest.mark.parametrize("layout", [0, 1])
@pytest.mark.parametrize("op, gates", [("LSTM", 4), ("GRU", 3), ("RNN", 1)])
def test_recurrent_layers(tmp_path, dump, op, gates, layout):
    outputs = ["y", "last", "cell"] if op == "LSTM" else ["y", "last"]
    model = save(
        tmp_path / "m.onnx",
        [
            node(
                op,
                ["x", "w", "r"],
                *outputs,
                hidden_size=5,
                direction="bidirectional",
                layout=layout,
            )
        ],
        [f32("x", 2, 7, 3)],
        [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in outputs],
        [floats("w", np.zeros((2, gates * 5, 3))), floats("r", np.zeros((2, gates * 5, 5)))],
    )
    judged = shapes_of(onnx.shape_inference.infer_shapes(model, strict_mode=True).graph.output)
    ours = dump(tmp_path / "m.onnx")
    assert {name: ours.tensors[name]["shape"] for name in outputs} == judged
    # Computed by hand: two directions, with all weights of the gates at each of 2 x 7 positions.
    assert ours.listing["nodes"][0]["macs"] == 2 * 7 * 2 * gates * 5 * (3 + 5)


def test_sizes_that_are_not_known_stay_unknown(tmp_path, dump):
    """Not treated as 0, nor as the constants beside them."""
    nodes = [
        node("Shape", ["x"], "s"),
        node("Gather", ["s", "one"], "width"),
        node("Slice", ["x", "zero", "width", "one"], "cut"),
        node("Pad", ["x", "pads"], "padded"),
        node("Concat", ["one", "width"], "wanted", axis=0),
        node("Reshape", ["x", "wanted"], "flat"),
    ]
    save(
        tmp_path / "m.onnx",
        nodes,
        [f32("x", 1, "width"), helper.make_tensor_value_info("pads", TensorProto.INT64, [4])],
        [helper.make_tensor_value_info("flat", TensorProto.FLOAT, None)],
        [ints("zero", [0]), ints("one", [1])],
        opset=13,
    )
    ours = dump(tmp_path / "m.onnx").tensors
    assert ours["cut"]["shape"] == [1, -1]
    assert ours["padded"]["shape"] == [-1, -1]
    assert ours["flat"]["shape"] == [1, -1]
