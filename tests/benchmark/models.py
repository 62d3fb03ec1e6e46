"""Creates small ONNX models with known properties."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, version_converter

RANDOM = np.random.default_rng(0)


def constant(name, values):
    return numpy_helper.from_array(np.ascontiguousarray(values), name)


def save(path, nodes, constants, inputs, outputs):
    graph = helper.make_graph(
        nodes, "graph",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs],
        constants,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(path))
    return path


def dense(path, sizes, batch=1, repeats=1):
    """Returns layers of a perceptron; the first one `repeats` times, to make it slower."""
    nodes, constants, x = [], [], "x"
    for i, (rows, columns) in enumerate(zip(sizes, sizes[1:])):
        random = np.random.default_rng(i)
        constants.append(constant(f"w{i}", random.normal(0, rows**-0.5, (rows, columns)).astype("f4")))
        nodes.append(helper.make_node("MatMul", [x, f"w{i}"], [f"m{i}"], name=f"fc{i}"))
        x = f"m{i}"
        if i < len(sizes) - 2:
            nodes.append(helper.make_node("Relu", [x], [f"r{i}"], name=f"relu{i}"))
            x = f"r{i}"
    return save(path, nodes, constants, [("x", [batch, sizes[0]])], [(x, [batch, sizes[-1]])])


def resnet50(path):
    """The topology that the onnx package has for its tests, with random weights."""
    source = Path(onnx.__file__).parent / "backend/test/data/light/light_resnet50.onnx"
    graph = onnx.load(source).graph
    random = np.random.default_rng(1)
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    nodes, weights = [], []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            nodes.append(node)
            continue
        shape = [int(size) for size in numpy_helper.to_array(tensors[node.input[0]])]
        inputs = np.prod(shape[1:])
        values = random.normal(0, np.sqrt(2 / inputs), shape) if len(shape) > 1 else random.uniform(0.5, 1.5, shape)
        weights.append(constant(node.output[0], values.astype("f4")))
    weights += [tensor for name, tensor in tensors.items() if not name.endswith("__SHAPE")]
    given = {tensor.name for tensor in weights} | set(tensors)
    made = helper.make_graph(nodes, "resnet50", [value for value in graph.input if value.name not in given],
                             list(graph.output), weights)  # fmt: skip
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 9)], ir_version=4)
    onnx.save(version_converter.convert_version(model, 13), str(path))
    return path


def identity(path, shape, inputs=1):
    """Returns a model whose outputs are its inputs, so that the data defines the outputs."""
    names = ["x"] if inputs == 1 else [f"x{i}" for i in range(inputs)]
    nodes = [helper.make_node("Identity", [name], [f"y_{name}"]) for name in names]
    return save(path, nodes, [], [(name, shape) for name in names], [(f"y_{name}", shape) for name in names])


def convolutions(path, activation="Relu", channels=32, size=28, layers=4):
    nodes, constants, x, before = [], [], "x", 3
    for i in range(layers):
        weights = np.random.default_rng(i).normal(0, 0.1, (channels, before, 3, 3)).astype("f4")
        constants += [constant(f"w{i}", weights), constant(f"b{i}", np.zeros(channels, "f4"))]
        nodes.append(
            helper.make_node("Conv", [x, f"w{i}", f"b{i}"], [f"c{i}"], name=f"conv{i}", pads=[1, 1, 1, 1])
        )
        kind = activation if i < layers - 1 else "Relu"
        nodes.append(helper.make_node(kind, [f"c{i}"], [f"a{i}"], name=f"{kind.lower()}{i}"))
        x, before = f"a{i}", channels
    return save(path, nodes, constants, [("x", [1, 3, size, size])], [(x, [1, channels, size, size])])


def quantize_input(nodes, constants, name, scale=0.03):
    constants += [constant(f"{name}_s", np.float32(scale)), constant(f"{name}_z", np.uint8(128))]
    quantizer = [f"{name}_s", f"{name}_z"]
    nodes.append(helper.make_node("QuantizeLinear", [name, *quantizer], [f"{name}_q"], name=f"{name}_Q"))
    nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", *quantizer], [f"{name}_d"], name=f"{name}_DQ"))
    return f"{name}_d"


def dequantized_weight(nodes, constants, name, weights, axis=None):
    others = tuple(i for i in range(weights.ndim) if i != axis)
    largest = np.abs(weights).max() if axis is None else np.abs(weights).max(others)
    scale = np.asarray(largest / 127, "f4")
    shape = [-1 if i == axis else 1 for i in range(weights.ndim)]
    codes = np.round(weights / (scale if axis is None else scale.reshape(shape))).astype("i1")
    constants += [
        constant(f"{name}_q", codes), constant(f"{name}_s", scale),
        constant(f"{name}_z", np.zeros(scale.shape, "i1")),
    ]  # fmt: skip
    attributes = {} if axis is None else {"axis": axis}
    nodes.append(
        helper.make_node("DequantizeLinear", [f"{name}_q", f"{name}_s", f"{name}_z"], [f"{name}_d"],
                         name=f"{name}_DQ", **attributes)
    )  # fmt: skip
    return f"{name}_d"


def transposed_convolution(path, quantized):
    """ONNX Runtime's ConvTranspose does not support INT8 weights, per channel or not."""
    nodes, constants = [], []
    weights = np.random.default_rng(0).normal(0, 0.06, (32, 32, 3, 3)).astype("f4")
    if quantized:
        x = quantize_input(nodes, constants, "x")
        w = dequantized_weight(nodes, constants, "w", weights, axis=1)
    else:
        constants.append(constant("w", weights))
        x, w = "x", "w"
    nodes.append(helper.make_node("ConvTranspose", [x, w], ["y"], name="up"))
    y = quantize_input(nodes, constants, "y", 0.05) if quantized else "y"
    return save(path, nodes, constants, [("x", [1, 32, 16, 16])], [(y, [1, 32, 18, 18])])


def unfused(path, quantized):
    """Returns convolutions whose outputs have no QuantizeLinear."""
    nodes, constants = [], []
    x = quantize_input(nodes, constants, "x") if quantized else "x"
    for i in range(3):
        weights = np.random.default_rng(i).normal(0, 0.06, (32, 32, 3, 3)).astype("f4")
        if quantized:
            w = dequantized_weight(nodes, constants, f"w{i}", weights, axis=0)
        else:
            constants.append(constant(f"w{i}", weights))
            w = f"w{i}"
        nodes.append(helper.make_node("Conv", [x, w], [f"c{i}"], name=f"conv{i}", pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [f"c{i}"], [f"r{i}"], name=f"relu{i}"))
        x = f"r{i}"
    return save(path, nodes, constants, [("x", [1, 32, 28, 28])], [(x, [1, 32, 28, 28])])


def weight_only(path, kind, size=256, block=32):
    """Two matrix products: in float, with a DequantizeLinear for each weight, or 4-bit weights in blocks."""
    nodes, constants, x = [], [], "x"
    for i in range(2):
        random = np.random.default_rng(i)
        weights = random.normal(0, 0.06, (size, size)).astype("f4")
        if kind == "blocks":
            constants += [
                constant(f"b{i}", random.integers(0, 256, (size, size // block, block // 2)).astype("u1")),
                constant(f"s{i}", np.full(size * size // block, 0.01, "f4")),
            ]  # fmt: skip
            nodes.append(
                helper.make_node("MatMulNBits", [x, f"b{i}", f"s{i}"], [f"y{i}"], name=f"fc{i}", domain="com.microsoft",
                                 K=size, N=size, bits=4, block_size=block)
            )  # fmt: skip
        else:
            if kind == "qdq":
                w = dequantized_weight(nodes, constants, f"w{i}", weights)
            else:
                constants.append(constant(f"w{i}", weights))
                w = f"w{i}"
            nodes.append(helper.make_node("MatMul", [x, w], [f"y{i}"], name=f"fc{i}"))
        x = f"y{i}"
    shape = [16, size]
    save(path, nodes, constants, [("x", shape)], [(x, shape)])
    model = onnx.load(str(path))
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    onnx.save(model, str(path))
    return path


def with_operator(source, path, kind, count):
    """Returns a model with `count` more operators of a type behind its output."""
    model = onnx.load(str(source))
    output = model.graph.output[0].name
    for i in range(count):
        model.graph.node.append(helper.make_node(kind, [output], [f"added{i}"], name=f"added{i}"))
        output = f"added{i}"
    model.graph.output[0].name = output
    onnx.save(model, str(path))
    return path
