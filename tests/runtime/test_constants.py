"""Weights that are dequantized once for all samples equal, bit for bit, those of a model that
dequantizes them each time, and so do all tensors that are computed from them: with every
granularity, and at every place in the model. ONNX Runtime's Python package is the oracle."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_node as node
from onnx.helper import make_tensor_value_info as value
from test_capture import assert_same, capture, judged

SIZE, SAMPLES = 64, 3
random = np.random.default_rng(4)


def matrix():
    return random.normal(size=(SIZE, SIZE)).astype(np.float32)


def floats(name):
    return value(name, TensorProto.FLOAT, [1, SIZE])


def four_bit(name, codes):
    return helper.make_tensor(name, TensorProto.INT4, codes.shape, codes.flatten().tolist())


def quantized(name, kind):
    """Returns the constants and the node that give the tensor `name`."""
    weight = matrix()
    if kind == "per_tensor":
        scale, options = np.abs(weight).max() / 127, {}
    elif kind == "blocked_int4":
        blocks = np.abs(weight).reshape(SIZE // 16, 16, SIZE).max(axis=1)
        scale, options = blocks / 7, {"axis": 0, "block_size": 16}
    else:
        axis = {"per_row": 0, "per_column": 1, "per_channel_int4": 1}[kind]
        scale, options = np.abs(weight).max(axis=1 - axis) / 127, {"axis": axis}
        if kind == "per_channel_int4":
            scale *= 127 / 7
    step = np.repeat(scale, 16, axis=0) if scale.ndim == 2 else scale
    codes = np.rint(weight / (step[:, None] if kind == "per_row" else step)).astype(np.int8)
    zeros = np.zeros(scale.shape, np.int8)
    stored = four_bit if kind.endswith("int4") else lambda n, c: numpy_helper.from_array(c, n)
    constants = [
        stored(f"{name}_codes", codes),
        numpy_helper.from_array(np.asarray(scale, np.float32), f"{name}_scale"),
        stored(f"{name}_zero", zeros),
    ]
    inputs = [f"{name}_codes", f"{name}_scale", f"{name}_zero"]
    return constants, node("DequantizeLinear", inputs, [name], **options)


def saved(folder, name, nodes, constants, inputs=None, external=False, ir_version=10, **others):
    graph = helper.make_graph(
        nodes, "net", inputs or [floats("x")], [floats("y")], constants, **others
    )
    opsets = [helper.make_opsetid("", 21)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)
    path = folder / f"{name}.onnx"
    onnx.save(
        model, str(path), save_as_external_data=external, location=f"{name}.bin", size_threshold=0
    )
    return path


def check(folder, model, held, **others):
    """Checks that every tensor equals the oracle's, and that these were computed once."""
    samples = random.normal(size=(SAMPLES, 1, SIZE)).astype(np.float32)
    data = folder / "samples.npz"
    given = {key: np.repeat(array[None], SAMPLES, 0) for key, array in others.items()}
    np.savez(data, x=samples, **given)
    answer, ours = capture(model, data, folder)
    assert_same(ours, judged(model, [{"x": x, **others} for x in samples]))
    assert set(answer["held"]) == set(held)


@pytest.mark.parametrize(
    "kind", ["per_tensor", "per_row", "per_column", "per_channel_int4", "blocked_int4"]
)
@pytest.mark.parametrize("external", [False, True], ids=["in_the_file", "beside_it"])
def test_every_granularity(folder, kind, external):
    constants, dequantize = quantized("w", kind)
    nodes = [dequantize, node("MatMul", ["x", "w"], ["hidden"]), node("Relu", ["hidden"], ["y"])]
    # Types that the file declares stay correct.
    told = [value("w", TensorProto.FLOAT, [SIZE, SIZE])]
    model = saved(folder, kind, nodes, constants, external=external, value_info=told)
    check(folder, model, ["w"])


def test_floats_that_are_rounded_and_turned_around(folder):
    constants = [
        numpy_helper.from_array(matrix(), "float"),
        numpy_helper.from_array(np.float32(0.03), "scale"),
        numpy_helper.from_array(np.int8(0), "zero"),
    ]
    nodes = [
        node("QuantizeLinear", ["float", "scale", "zero"], ["codes"]),
        node("DequantizeLinear", ["codes", "scale", "zero"], ["back"]),
        node("Transpose", ["back"], ["turned"], perm=[1, 0]),
        node("Gemm", ["x", "turned"], ["y"]),
    ]
    check(folder, saved(folder, "rounded", nodes, constants), ["codes", "back", "turned"])


@pytest.mark.parametrize("ir_version", [3, 10])
def test_weights_that_are_nodes_or_inputs_with_a_value(folder, ir_version):
    (codes, scale, zero), dequantize = quantized("w", "per_tensor")
    inputs = [floats("x"), value("w_codes", TensorProto.INT8, [SIZE, SIZE])]
    nodes = [
        node("Constant", [], ["w_scale"], value=scale),
        dequantize,
        node("MatMul", ["x", "w"], ["y"]),
    ]
    inputs.append(value("w_zero", TensorProto.INT8, []))
    model = saved(folder, "old", nodes, [codes, zero], inputs=inputs, ir_version=ir_version)
    check(folder, model, ["w"])


@pytest.mark.parametrize("condition", [True, False])
def test_bodies(folder, condition):
    """A Loop around an If with weights of the main graph, of the Loop's body and of a branch. The
    branches share the name of a weight, which is computed at its original place."""
    outer, dequantize_outer = quantized("outer", "per_column")
    middle, dequantize_middle = quantized("middle", "blocked_int4")
    own, dequantize_own = quantized("own", "per_row")
    shared, dequantize_shared = quantized("shared", "per_tensor")
    then_branch = helper.make_graph(
        [
            dequantize_own,
            dequantize_shared,
            node("MatMul", ["state", "own"], ["there"]),
            node("MatMul", ["there", "shared"], ["out"]),
        ],
        "then", [], [floats("out")], own + shared,
        value_info=[value("own", TensorProto.FLOAT, [SIZE, SIZE])],
    )  # fmt: skip
    else_branch = helper.make_graph(
        [
            dequantize_shared,
            node("MatMul", ["state", "shared"], ["here"]),
            node("MatMul", ["here", "outer"], ["out"]),
        ],
        "else", [], [floats("out")], shared,
    )  # fmt: skip
    body = helper.make_graph(
        [
            node("Identity", ["going"], ["go_on"]),
            dequantize_middle,
            node("If", ["condition"], ["chosen"], then_branch=then_branch, else_branch=else_branch),
            node("MatMul", ["chosen", "middle"], ["mixed"]),
            node("Tanh", ["mixed"], ["next"]),
        ],
        "body",
        [value("i", TensorProto.INT64, []), value("going", TensorProto.BOOL, []), floats("state")],
        [value("go_on", TensorProto.BOOL, []), floats("next")],
        middle,
    )
    nodes = [
        dequantize_outer,
        node("Loop", ["times", "", "x"], ["looped"], body=body),
        node("MatMul", ["looped", "outer"], ["y"]),
    ]
    constants = [*outer, numpy_helper.from_array(np.int64(3), "times")]
    inputs = [floats("x"), value("condition", TensorProto.BOOL, [])]
    model = saved(folder, "bodies", nodes, constants, inputs=inputs)
    check(folder, model, ["outer"], condition=np.array(condition))
