"""Recurrent networks, created with the onnx package. ONNX Runtime decodes their codes, and numpy
computes the errors."""

from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.helper import make_tensor_value_info as value

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
INPUTS, HIDDEN, STEPS = 12, 16, 5


def weights_of(op, directions, seed=0):
    """Returns W, R and B in ONNX's layout. Rows have different sizes, as in trained networks."""
    rng = np.random.default_rng(seed)
    rows = GATES[op] * HIDDEN
    sizes = rng.uniform(0.02, 0.3, (directions, rows, 1))
    return {
        "W": (rng.normal(size=(directions, rows, INPUTS)) * sizes).astype(np.float32),
        "R": (rng.normal(size=(directions, rows, HIDDEN)) * sizes).astype(np.float32),
        "B": rng.normal(scale=0.1, size=(directions, 2 * rows)).astype(np.float32),
    }


def constant(name, values):
    return numpy_helper.from_array(np.asarray(values), name)


def saved(path, nodes, inputs, outputs, initializers=(), opset=21) -> Path:
    graph = helper.make_graph(nodes, "network", inputs, outputs, list(initializers))
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10, producer_name="test"
    )
    onnx.checker.check_model(model)
    onnx.save(model, str(path))
    return Path(path)


def recurrent_node(op, directions, names=("W", "R", "B"), outputs=("sequence",)):
    return helper.make_node(
        op, ["x", *names], list(outputs), "/net/rnn", hidden_size=HIDDEN,
        direction="bidirectional" if directions == 2 else "forward",
    )  # fmt: skip


def head(directions):
    """[steps, directions, batch, hidden] -> [steps, batch, 3]."""
    nodes = [
        helper.make_node("Transpose", ["sequence"], ["turned"], "turn", perm=[0, 2, 1, 3]),
        helper.make_node("Reshape", ["turned", "shape"], ["flat"], "flatten"),
        helper.make_node("MatMul", ["flat", "head.weight"], ["y"], "head"),
    ]
    rng = np.random.default_rng(7)
    constants = [
        constant("shape", np.array([0, 0, -1], np.int64)),
        constant("head.weight", rng.normal(size=(directions * HIDDEN, 3)).astype(np.float32)),
    ]
    return nodes, constants


def recurrent_model(path, op, directions, weights) -> Path:
    nodes, constants = head(directions)
    return saved(
        path,
        [recurrent_node(op, directions), *nodes],
        [value("x", TensorProto.FLOAT, [STEPS, 1, INPUTS])],
        [value("y", TensorProto.FLOAT, [STEPS, 1, 3])],
        [constant(name, values) for name, values in weights.items()] + constants,
    )


class Codes:
    """Returns weights as int8 with one scale for all (axis None), or one for each index of `axis`.
    """

    def __init__(self, values, axis=None):
        others = tuple(i for i in range(values.ndim) if i != axis) if axis is not None else None
        self.axis = 0 if axis is None else axis
        self.scale = (np.abs(values).max(axis=others) / 127).astype(np.float32)
        shape = [-1 if i == axis else 1 for i in range(values.ndim)]
        scales = self.scale.reshape(shape) if axis is not None else self.scale
        self.codes = np.clip(np.rint(values / scales), -127, 127).astype(np.int8)

    def constants(self, name):
        return [constant(f"{name}_quantized", self.codes), constant(f"{name}_scale", self.scale)]

    def node(self, name):
        """Dequantizes the input and returns it as a float, with the same name."""
        return helper.make_node(
            "DequantizeLinear", [f"{name}_quantized", f"{name}_scale"], [name], f"{name}_DQ",
            axis=self.axis,
        )  # fmt: skip


def qdq_model(path, op, directions, weights, axis=None, codes=None) -> Path:
    """Returns the network with a DequantizeLinear before W and before R."""
    codes = codes or {name: Codes(weights[name], axis) for name in "WR"}
    nodes, constants = head(directions)
    constants += [constant("B", weights["B"])]
    for name, each in codes.items():
        constants += each.constants(name)
    return saved(
        path,
        [each.node(name) for name, each in codes.items()]
        + [recurrent_node(op, directions), *nodes],
        [value("x", TensorProto.FLOAT, [STEPS, 1, INPUTS])],
        [value("y", TensorProto.FLOAT, [STEPS, 1, 3])],
        constants,
    )


def session(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(
        model.SerializeToString(), options, ["CPUExecutionProvider"]
    )


def dequantized(codes, scale, zero_point, axis):
    """Returns the result of ONNX Runtime's DequantizeLinear."""
    graph = helper.make_graph(
        [helper.make_node("DequantizeLinear", ["codes", "scale", "zero"], ["real"], axis=axis)],
        "oracle", [], [value("real", TensorProto.FLOAT, codes.shape)],
        [constant("codes", codes), constant("scale", scale), constant("zero", zero_point)],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    return session(model).run(None, {})[0]


def sqnr_db(x, y):
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    return 10 * np.log10((x**2).sum() / ((x - y) ** 2).sum())


def channel_sqnr_db(x, y):
    """Returns the error by row; all dimensions except the last are rows."""
    x, y = (np.asarray(v, np.float64).reshape(-1, v.shape[-1]) for v in (x, y))
    return 10 * np.log10((x**2).sum(1) / ((x - y) ** 2).sum(1))


def by_name(report):
    return {layer["name"]: layer for layer in report["layers"]}


def check_weights(layer, ours, theirs):
    """Both `ours` and `theirs` have ONNX's layout: [directions, rows, inputs]."""
    assert layer["weight"]["sqnr_db"] == pytest.approx(sqnr_db(ours, theirs), abs=1e-3)
    channels = channel_sqnr_db(ours, theirs)
    assert layer["weight"]["worst_channel"] == channels.argmin()
    assert layer["weight"]["worst_channel_sqnr_db"] == pytest.approx(channels.min(), abs=1e-3)
    minima = np.asarray(ours).reshape(-1, ours.shape[-1]).min(1)
    assert layer["weight"]["channels"]["baseline_min"] == pytest.approx(minima.tolist(), rel=1e-6)
