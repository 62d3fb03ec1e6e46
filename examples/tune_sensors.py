"""Writes the network and the samples of docs/tune.md: sensors.onnx and sensors.npz.

The second sensor is 3000 times smaller than the first, and the weights for it are as much larger. One
8-bit scale for both inputs, and for both kinds of weights, cannot represent the small one.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

RATIO = 3000.0
random = np.random.default_rng(0)


def weight(name, *shape, deviation=0.2):
    return numpy_helper.from_array(random.normal(0, deviation, shape).astype(np.float32), name)


first = random.normal(0, 0.2, (8, 2, 3, 3)).astype(np.float32)
first[:, 1] *= RATIO
weights = [
    numpy_helper.from_array(first, "w1"),
    weight("w2", 32, 8, 3, 3),
    weight("w3", 32, 32, 3, 3, deviation=0.1),
    weight("w4", 5, 32),
    weight("b4", 5),
]
pads = {"pads": [1, 1, 1, 1]}
nodes = [
    helper.make_node("Conv", ["x", "w1"], ["c1"], "conv1", **pads),
    helper.make_node("Relu", ["c1"], ["r1"], "relu1"),
    helper.make_node("Conv", ["r1", "w2"], ["c2"], "conv2", **pads),
    helper.make_node("Relu", ["c2"], ["r2"], "relu2"),
    helper.make_node("Conv", ["r2", "w3"], ["c3"], "conv3", **pads),
    helper.make_node("Relu", ["c3"], ["r3"], "relu3"),
    helper.make_node("GlobalAveragePool", ["r3"], ["g"], "average"),
    helper.make_node("Flatten", ["g"], ["f"], "flatten"),
    helper.make_node("Gemm", ["f", "w4", "b4"], ["logits"], "head", transB=1),
]
graph = helper.make_graph(
    nodes,
    "sensors",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 2, 8, 8])],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 5])],
    weights,
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
onnx.checker.check_model(model)
onnx.save(model, "sensors.onnx")
samples = random.normal(0, 1, (200, 2, 8, 8)).astype(np.float32)
samples[:, 1] /= RATIO
np.savez("sensors.npz", x=samples)
