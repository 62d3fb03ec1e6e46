"""Small ONNX models for tests, made with the onnx package."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RNG = np.random.default_rng(7)


def save(path, nodes, inputs, outputs, initializers, opset=21, functions=(), domains=(), **options):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, initializers)
    model = helper.make_model(
        graph,
        opset_imports=[
            helper.make_opsetid("", opset),
            *[helper.make_opsetid(d, 1) for d in domains],
        ],
        functions=functions,
        ir_version=10,
    )
    onnx.save(model, path, **options)
    return model


def f32(name, *shape):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)


def small_network():
    weights = {
        "w1": RNG.normal(size=(8, 3, 3, 3)),
        "b1": RNG.normal(size=8),
        "w2": RNG.normal(size=(8, 1, 3, 3)),
        "w3": RNG.normal(size=(10, 8 * 8 * 8)),
        "b3": RNG.normal(size=10),
    }
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], "conv1", pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
        helper.make_node(
            "Conv", ["r1", "w2"], ["c2"], "conv2", group=8, pads=[1, 1, 1, 1], strides=[2, 2]
        ),
        helper.make_node("Flatten", ["c2"], ["f"], "flatten"),
        helper.make_node("Gemm", ["f", "w3", "b3"], ["y"], "fc", transB=1),
    ]
    initializers = [
        numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()
    ]
    return nodes, initializers
