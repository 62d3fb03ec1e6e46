"""Unusual models: old opsets, bodies, float16, several inputs, odd constants.

MODELS["if_body_opset_11"]() -> (model, samples by input)
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RANDOM = np.random.default_rng(5)
FLOAT, HALF, INT64 = TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.INT64


def normal(*shape):
    return (RANDOM.normal(size=shape) * 0.3).astype(np.float32)


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs, outputs, constants, opset=13, domains=(), ir_version=8):
    arrays = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "odd", inputs, outputs, arrays)
    opsets = [
        helper.make_opsetid("", opset),
        *(helper.make_opsetid(domain, 1) for domain in domains),
    ]
    return helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)


def rows(*shape, count=12):
    return RANDOM.normal(size=(count, *shape)).astype(np.float32)


def perceptron(opset=13, kind=FLOAT):
    dtype = np.float16 if kind == HALF else np.float32
    constants = {name: array.astype(dtype) for name, array in
                 {"w1": normal(32, 48), "b1": normal(48), "w2": normal(8, 48), "b2": normal(8)}.items()}  # fmt: skip
    nodes = [helper.make_node("MatMul", ["x", "w1"], ["m"], "first"),
             helper.make_node("Add", ["m", "b1"], ["a"], "bias"),
             helper.make_node("Relu", ["a"], ["r"], "relu"),
             helper.make_node("Gemm", ["r", "w2", "b2"], ["y"], "second", transB=1)]  # fmt: skip
    made = model(
        nodes, [value("x", ["n", 32], kind)], [value("y", ["n", 8], kind)], constants, opset
    )
    return made, {"x": rows(32).astype(dtype)}


def convolution_opset_7():
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1] * 4),
             helper.make_node("BatchNormalization", ["c", "g", "b", "m", "v"], ["n"], "norm"),
             helper.make_node("Clip", ["n"], ["k"], "clip", min=0.0, max=6.0),
             helper.make_node("Upsample", ["k"], ["u"], "up", mode="nearest", scales=[1.0, 1.0, 2.0, 2.0]),
             helper.make_node("Dropout", ["u"], ["d"], "drop"),
             helper.make_node("GlobalAveragePool", ["d"], ["p"], "pool"),
             helper.make_node("Squeeze", ["p"], ["s"], "squeeze", axes=[2, 3]),
             helper.make_node("Gemm", ["s", "w2", "b2"], ["z"], "head"),
             helper.make_node("Softmax", ["z"], ["y"], "softmax", axis=1)]  # fmt: skip
    constants = {"w": normal(6, 3, 3, 3), "g": normal(6) + 1, "b": normal(6), "m": normal(6),
                 "v": np.abs(normal(6)) + 0.5, "w2": normal(6, 4), "b2": normal(4)}  # fmt: skip
    return model(
        nodes, [value("x", [1, 3, 8, 8])], [value("y", [1, 4])], constants, 7, ir_version=4
    ), {"x": rows(3, 8, 8)}


def if_body(opset):
    squeeze = ({"axes": [1]}, []) if opset < 13 else ({}, ["axes"])
    branches = []
    for name, factor in (("then", 1.5), ("else", -0.5)):
        nodes = [helper.make_node("Constant", [], [f"{name}_f"], value=numpy_helper.from_array(np.float32(factor))),
                 helper.make_node("Unsqueeze", ["h", *squeeze[1]], [f"{name}_u"], **squeeze[0]),
                 helper.make_node("Squeeze", [f"{name}_u", *squeeze[1]], [f"{name}_s"], **squeeze[0]),
                 helper.make_node("Mul", [f"{name}_s", f"{name}_f"], [f"{name}_y"])]  # fmt: skip
        branches.append(helper.make_graph(nodes, name, [], [value(f"{name}_y", ["n", 8])]))
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "product"),
             helper.make_node("ReduceMax", ["x"], ["top"], "max", keepdims=0),
             helper.make_node("Greater", ["top", "limit"], ["is_large"], "compare"),
             helper.make_node("If", ["is_large"], ["i"], "if", then_branch=branches[0], else_branch=branches[1]),
             helper.make_node("MatMul", ["i", "w2"], ["y"], "last")]  # fmt: skip
    constants = {"w": normal(32, 8), "w2": normal(8, 5), "limit": np.float32(2)}
    if opset >= 13:
        constants["axes"] = np.array([1], np.int64)
    return model(nodes, [value("x", ["n", 32])], [value("y", ["n", 5])], constants, opset), {
        "x": rows(32)
    }


def loop_body():
    body = helper.make_graph(
        [helper.make_node("MatMul", ["state", "w"], ["next"]), helper.make_node("Identity", ["go"], ["go_on"])],
        "body", [value("i", [], INT64), value("go", [], TensorProto.BOOL), value("state", ["n", 8])],
        [value("go_on", [], TensorProto.BOOL), value("next", ["n", 8])])  # fmt: skip
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["h"], "first"),
             helper.make_node("Loop", ["times", "", "h"], ["l"], "loop", body=body),
             helper.make_node("MatMul", ["l", "w1"], ["y"], "last")]  # fmt: skip
    constants = {"times": np.int64(3), "w0": normal(32, 8), "w": normal(8, 8), "w1": normal(8, 8)}
    return model(nodes, [value("x", ["n", 32])], [value("y", ["n", 8])], constants), {"x": rows(32)}


def several_inputs():
    nodes = [helper.make_node("Gather", ["table", "ids"], ["e"], "embedding"),
             helper.make_node("Cast", ["mask"], ["f"], "cast", to=FLOAT),
             helper.make_node("Unsqueeze", ["f", "axes"], ["u"], "unsqueeze"),
             helper.make_node("Mul", ["e", "u"], ["k"], "masked"),
             helper.make_node("MatMul", ["k", "w"], ["h"], "product"),
             helper.make_node("Erf", ["h"], ["r"], "erf"),
             helper.make_node("MatMul", ["r", "w2"], ["y"], "head"),
             helper.make_node("ArgMax", ["y"], ["label"], "label", axis=-1, keepdims=0)]  # fmt: skip
    constants = {
        "table": normal(50, 32),
        "axes": np.array([-1], np.int64),
        "w": normal(32, 48),
        "w2": normal(48, 6),
    }
    made = model(nodes, [value("ids", ["batch", "length"], INT64), value("mask", ["batch", "length"], INT64)],
                 [value("y", ["batch", "length", 6]), value("label", ["batch", "length"], INT64)], constants)  # fmt: skip
    return made, {"ids": RANDOM.integers(0, 50, (12, 7)), "mask": np.ones((12, 7), np.int64)}


def weights_in_constant_nodes():
    made, samples = perceptron()
    moved = [
        helper.make_node("Constant", [], [tensor.name], value=tensor)
        for tensor in made.graph.initializer
    ]
    del made.graph.initializer[:]
    nodes = moved + list(made.graph.node)
    del made.graph.node[:]
    made.graph.node.extend(nodes)
    return made, samples


def shared_weight():
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"], "one"), helper.make_node("Tanh", ["a"], ["t"], "tanh"),
             helper.make_node("MatMul", ["t", "w"], ["b"], "two"), helper.make_node("Add", ["a", "b"], ["y"], "sum")]  # fmt: skip
    return model(nodes, [value("x", ["n", 32])], [value("y", ["n", 32])], {"w": normal(32, 32)}), {
        "x": rows(32)
    }


def no_initializers():
    nodes = [
        helper.make_node("MatMul", ["x", "z"], ["m"], "product"),
        helper.make_node("Softmax", ["m"], ["y"], axis=-1),
    ]
    made = model(
        nodes, [value("x", ["n", 4, 8]), value("z", ["n", 8, 4])], [value("y", ["n", 4, 4])], {}
    )
    return made, {"x": rows(4, 8), "z": rows(8, 4)}


def contrib_operators():
    nodes = [helper.make_node("MatMul", ["x", "w"], ["h"], "product"),
             helper.make_node("Gelu", ["h"], ["g"], "gelu", domain="com.microsoft"),
             helper.make_node("SkipLayerNormalization", ["g", "h", "s", "o"], ["n"], "norm", domain="com.microsoft"),
             helper.make_node("FusedMatMul", ["n", "w2"], ["f"], "fused", domain="com.microsoft", alpha=0.5),
             helper.make_node("MatMul", ["f", "w3"], ["y"], "head")]  # fmt: skip
    constants = {
        "w": normal(32, 32),
        "s": normal(32) + 1,
        "o": normal(32),
        "w2": normal(32, 32),
        "w3": normal(32, 4),
    }
    made = model(
        nodes,
        [value("x", ["n", 5, 32])],
        [value("y", ["n", 5, 4])],
        constants,
        14,
        ["com.microsoft"],
    )
    return made, {"x": rows(5, 32)}


def zero_size_tensor():
    """A key-value cache that is empty at first."""
    nodes = [helper.make_node("Concat", ["past", "x"], ["all"], "cache", axis=1),
             helper.make_node("MatMul", ["all", "w"], ["h"], "product"),
             helper.make_node("ReduceSum", ["h", "axes"], ["y"], "sum", keepdims=0)]  # fmt: skip
    constants = {"w": normal(32, 8), "axes": np.array([1], np.int64)}
    made = model(nodes, [value("past", ["n", "before", 32]), value("x", ["n", 3, 32])],
                 [value("y", ["n", 8]), value("all", ["n", "total", 32])], constants)  # fmt: skip
    return made, {"past": np.zeros((12, 0, 32), np.float32), "x": rows(3, 32)}


def dead_weights():
    """Weights of zero, of one value, and huge weights beside tiny ones."""
    w = normal(8, 3, 3, 3)
    w[0] = 0
    w[1] = 1e-30
    w[2] *= 1e4
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], "conv"), helper.make_node("Relu", ["c"], ["r"], "relu"),
             helper.make_node("Conv", ["r", "w2"], ["y"], "zero")]  # fmt: skip
    constants = {
        "w": w,
        "b": np.array([0, 1e6, -1, 1, 0, 0, 2, 3], np.float32),
        "w2": np.zeros((2, 8, 1, 1), np.float32),
    }
    return model(nodes, [value("x", ["n", 3, 8, 8])], [value("y", ["n", 2, 6, 6])], constants), {
        "x": rows(3, 8, 8)
    }


def recurrent():
    nodes = [helper.make_node("Transpose", ["x"], ["t"], "turn", perm=[1, 0, 2]),
             helper.make_node("LSTM", ["t", "w", "r", "b"], ["s", "h", ""], "lstm", hidden_size=16),
             helper.make_node("Squeeze", ["h", "axes"], ["q"], "squeeze"),
             helper.make_node("MatMul", ["q", "w2"], ["y"], "head")]  # fmt: skip
    constants = {"w": normal(1, 64, 12), "r": normal(1, 64, 16), "b": normal(1, 128),
                 "axes": np.array([0], np.int64), "w2": normal(16, 4)}  # fmt: skip
    return model(nodes, [value("x", ["n", 6, 12])], [value("y", ["n", 4])], constants, 14), {
        "x": rows(6, 12)
    }


def output_is_input_of_a_layer():
    """Outputs in the middle of the network, and one that is an input."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], "conv", pads=[1] * 4), helper.make_node("Relu", ["c"], ["r"], "relu"),
             helper.make_node("Conv", ["r", "w2"], ["y"], "next"), helper.make_node("Identity", ["x"], ["same"])]  # fmt: skip
    made = model(nodes, [value("x", ["n", 3, 8, 8])],
                 [value("y", ["n", 2, 8, 8]), value("r", ["n", 4, 8, 8]), value("c", ["n", 4, 8, 8]), value("same", ["n", 3, 8, 8])],
                 {"w": normal(4, 3, 3, 3), "w2": normal(2, 4, 1, 1)})  # fmt: skip
    return made, {"x": rows(3, 8, 8)}


def vector_and_batched_products():
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"], "batched"), helper.make_node("Add", ["a", "b"], ["s"], "add"),
             helper.make_node("MatMul", ["s", "v"], ["y"], "vector")]  # fmt: skip
    constants = {"w": normal(4, 16, 8), "b": normal(8), "v": normal(8)}
    return model(nodes, [value("x", ["n", 4, 5, 16])], [value("y", ["n", 4, 5])], constants), {
        "x": rows(4, 5, 16)
    }


def gemm_with_factors():
    nodes = [helper.make_node("Gemm", ["x", "w", "b"], ["h"], "gemm", alpha=0.5, beta=2.0, transB=1),
             helper.make_node("Relu", ["h"], ["r"]), helper.make_node("Gemm", ["r", "w2"], ["y"], "plain")]  # fmt: skip
    constants = {"w": normal(24, 32), "b": normal(24), "w2": normal(24, 5)}
    return model(nodes, [value("x", ["n", 32])], [value("y", ["n", 5])], constants), {"x": rows(32)}


def convolutions_of_other_ranks():
    nodes = [helper.make_node("Conv", ["x", "w"], ["a"], "one", strides=[2]),
             helper.make_node("ConvTranspose", ["a", "w2", "b"], ["t"], "up", strides=[2], group=2),
             helper.make_node("LeakyRelu", ["t"], ["l"], alpha=0.2),
             helper.make_node("Unsqueeze", ["l", "axes"], ["u"]),
             helper.make_node("Conv", ["u", "w3"], ["c"], "two", auto_pad="SAME_UPPER"),
             helper.make_node("AveragePool", ["c"], ["p"], kernel_shape=[1, 2], count_include_pad=1),
             helper.make_node("Reshape", ["p", "flat"], ["y"], "reshape")]  # fmt: skip
    constants = {"w": normal(8, 4, 5), "w2": normal(8, 3, 4), "b": normal(6), "axes": np.array([2], np.int64),
                 "w3": normal(5, 6, 1, 3), "flat": np.array([0, -1], np.int64)}  # fmt: skip
    return model(nodes, [value("x", ["n", 4, 33])], [value("y", ["n", "m"])], constants), {
        "x": rows(4, 33)
    }


MODELS = {
    "float16": lambda: perceptron(kind=HALF),
    "opset_7": convolution_opset_7,
    "opset_9": lambda: perceptron(9),
    "opset_22": lambda: perceptron(22),
    "if_body_opset_11": lambda: if_body(11),
    "if_body": lambda: if_body(13),
    "loop_body": loop_body,
    "several_inputs": several_inputs,
    "weights_in_constant_nodes": weights_in_constant_nodes,
    "shared_weight": shared_weight,
    "no_initializers": no_initializers,
    "contrib_operators": contrib_operators,
    "zero_size_tensor": zero_size_tensor,
    "dead_weights": dead_weights,
    "recurrent": recurrent,
    "output_is_input_of_a_layer": output_is_input_of_a_layer,
    "vector_and_batched_products": vector_and_batched_products,
    "gemm_with_factors": gemm_with_factors,
    "convolutions_of_other_ranks": convolutions_of_other_ranks,
}


def write(name, folder):
    """Writes folder/float.onnx and folder/x.npz. Returns the samples. A model is the same in every
    test.
    """
    global RANDOM
    RANDOM = np.random.default_rng(5)
    made, samples = MODELS[name]()
    onnx.checker.check_model(made)
    onnx.save(made, str(folder / "float.onnx"))
    np.savez(folder / "x.npz", **samples)
    return samples
