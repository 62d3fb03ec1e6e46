"""Rewrites a network without changing its results, into forms that real networks have.

A variant is called with the network, the path of its float model and the path to write.
"""

import numpy as np
import onnx
from onnx import helper, numpy_helper


def constants_of(model):
    return {tensor.name: tensor for tensor in model.graph.initializer}


def readers_of(model, tensor):
    return [node for node in model.graph.node if tensor in node.input]


def mask_value(network, source, target, value):
    """Uses another value for masked positions; `min` is the lowest float32."""
    value = np.finfo(np.float32).min if value == "min" else np.float32(value)
    model = onnx.load(str(source))
    found = 0
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        if values.dtype == np.float32 and (values == -10000).any():
            values = np.where(values == -10000, value, values).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))
            found += 1
    assert found, "no mask of -10000"
    onnx.save(model, str(target))


def outlier_channels(network, source, target, factor, channels):
    """Multiplies channels after each normalization by `factor` and divides the weights that use
    them: creates the outlier channels of large transformers in a small one."""
    model = onnx.load(str(source))
    constants = constants_of(model)
    changed = 0

    def scale(name, change):
        values = numpy_helper.to_array(constants[name]).copy()
        constants[name].CopyFrom(numpy_helper.from_array(change(values), name))

    done = set()
    for node in model.graph.node:
        if node.op_type != "MatMul" or node.input[1] not in constants:
            continue
        weight = numpy_helper.to_array(constants[node.input[1]])
        norm = next((n for n in model.graph.node if n.output[0] == node.input[0]), None)
        if norm is None or norm.op_type not in ("Add", "Mul", "LayerNormalization"):
            continue
        sizes = [name for name in norm.input if name in constants
                 and numpy_helper.to_array(constants[name]).shape == (weight.shape[0],)]
        readers = readers_of(model, norm.output[0])
        if not sizes or any(r.op_type != "MatMul" or r.input[1] not in constants for r in readers):
            continue
        if norm.output[0] in done:
            continue
        gains = [sizes[0]]
        if norm.op_type == "Add":  # gamma precedes: Mul -> Add.
            before = next(n for n in model.graph.node if n.output[0] in norm.input
                          and n.output[0] not in constants)
            gamma = [name for name in before.input if name in constants]
            if before.op_type != "Mul" or not gamma:
                continue
            gains.append(gamma[0])
        if norm.op_type == "LayerNormalization":
            gains = [name for name in norm.input[1:] if name in constants]
        done.add(norm.output[0])

        def larger(values):
            values[..., channels] *= np.float32(factor)
            return values

        def smaller(values):
            values[channels] /= np.float32(factor)
            return values

        for name in gains:
            scale(name, larger)
        for reader in readers:
            scale(reader.input[1], smaller)
        changed += 1
    assert changed, "no normalization in front of products"
    onnx.save(model, str(target))


def constant_nodes(network, source, target):
    """Stores weights as Constant nodes, as Paddle's converter and older PyTorch do."""
    model = onnx.load(str(source))
    nodes = []
    for tensor in model.graph.initializer:
        nodes.append(helper.make_node("Constant", [], [tensor.name], name=f"{tensor.name}_node", value=tensor))
    nodes += list(model.graph.node)
    del model.graph.initializer[:]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, str(target))


def boxes_in_pixels(network, source, target, factor, nodes):
    """Scales boxes to the pixels of a picture that is `factor` times as large, by the constants of
    the last multiplications."""
    model = onnx.load(str(source))
    constants = constants_of(model)
    for node in model.graph.node:
        if node.name in nodes:
            (name,) = (name for name in node.input if name in constants)
            values = numpy_helper.to_array(constants[name]) * np.float32(factor)
            fresh = numpy_helper.from_array(values.astype(np.float32), f"{node.name}_factor")
            model.graph.initializer.append(fresh)
            node.input[list(node.input).index(name)] = fresh.name
    onnx.save(model, str(target))


def constant_channels(network, source, target, node, channels, factor=1e-9):
    """Creates channels of a convolution with tiny weights and a normal bias, as training with
    weight decay and structured pruning do."""
    model = onnx.load(str(source))
    constants = constants_of(model)
    conv = next(n for n in model.graph.node if n.name == node)
    values = numpy_helper.to_array(constants[conv.input[1]]).copy()
    values[channels] *= np.float32(factor)
    constants[conv.input[1]].CopyFrom(numpy_helper.from_array(values, conv.input[1]))
    onnx.save(model, str(target))

