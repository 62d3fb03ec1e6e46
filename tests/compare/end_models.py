"""Networks whose outputs are damaged in ways that no average shows, generated from seeds: a
detector whose boxes and scores are joined, and attention with a mask."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_static

CLASSES = 14
CELLS = 20  # Width of the detector's grid.
WORDS, WIDTH, HEADS = 12, 32, 2


class Reader(CalibrationDataReader):
    def __init__(self, name, samples):
        self.rest = iter([{name: sample[None]} for sample in samples])

    def get_next(self):
        return next(self.rest, None)


def quantize(fp32, int8, name, samples, **options):
    quantize_static(
        str(fp32), str(int8), Reader(name, samples), quant_format=QuantFormat.QDQ, **options
    )
    return int8


class Graph:
    def __init__(self):
        self.nodes, self.constants = [], []

    def constant(self, name, values):
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def add(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=output + "_node", **attributes))
        return output

    def save(self, path, inputs, outputs) -> Path:
        def value(name, shape):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        graph = helper.make_graph(
            self.nodes, "network", [value(*each) for each in inputs],
            [value(*each) for each in outputs], self.constants,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
        model.ir_version = 8
        onnx.checker.check_model(model)
        onnx.save(model, str(path))
        return Path(path)


def detector(path, is_transposed=False) -> Path:
    """A detector of bright patches: boxes in pixels up to 320 and scores between 0 and 1, joined by
    the last Concat as in YOLO."""
    random = np.random.default_rng(3)
    graph = Graph()

    def conv(name, x, out, into, kernel, scale):
        weights = random.normal(0, scale / np.sqrt(into * kernel**2), (out, into, kernel, kernel))
        bias = random.normal(0, 0.1, out)
        return graph.add(
            "Conv",
            [x, graph.constant(f"{name}.weight", weights.astype(np.float32)),
             graph.constant(f"{name}.bias", bias.astype(np.float32))],
            name, kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4,
        )

    x = graph.add("Relu", [conv("conv1", "image", 16, 3, 3, 1.4)], "relu1")
    x = graph.add("Relu", [conv("conv2", x, 16, 16, 3, 1.4)], "relu2")
    sizes = graph.constant("flat", np.array([1, -1, CELLS * CELLS], np.int64))
    boxes = graph.add("Sigmoid", [conv("boxes", x, 4, 16, 1, 2.0)], "box_shares")
    boxes = graph.add("Mul", [boxes, graph.constant("pixels", np.float32(320))], "box_pixels")
    boxes = graph.add("Reshape", [boxes, sizes], "flat_boxes")
    logits = conv("scores", x, CLASSES, 16, 1, 1.6)
    logits = graph.add("Add", [logits, graph.constant("rare", np.float32(-3))], "rare_logits")
    scores = graph.add("Reshape", [logits, sizes], "flat_logits")
    scores = graph.add("Sigmoid", [scores], "flat_scores")
    cells, channels = CELLS * CELLS, 4 + CLASSES
    if not is_transposed:
        graph.add("Concat", [boxes, scores], "output0", axis=1)
        shape = [1, channels, cells]
    else:
        joined = graph.add("Concat", [boxes, scores], "joined", axis=1)
        graph.add("Transpose", [joined], "output0", perm=[0, 2, 1])
        shape = [1, cells, channels]
    return graph.save(path, [("image", [1, 3, CELLS, CELLS])], [("output0", shape)])


def images(count, seed=4):
    return np.random.default_rng(seed).normal(0, 1, (count, 3, CELLS, CELLS)).astype(np.float32)


def attention(path, mask=-10000.0) -> Path:
    """Attention between words, where no word may use later words."""
    random = np.random.default_rng(5)
    graph = Graph()

    def product(name, x, scale=1.0, out=WIDTH):
        weights = random.normal(0, scale / np.sqrt(WIDTH), (WIDTH, out)).astype(np.float32)
        return graph.add("MatMul", [x, graph.constant(f"{name}.weight", weights)], name)

    def split(name, x, order):
        shape = graph.constant(f"{name}.shape", np.array([1, WORDS, HEADS, WIDTH // HEADS], np.int64))
        x = graph.add("Reshape", [x, shape], f"{name}_split")
        return graph.add("Transpose", [x], f"{name}_heads", perm=order)

    hidden = np.triu(np.full((WORDS, WORDS), mask), 1).astype(np.float32)[None, None]
    graph.constant("mask", hidden)
    graph.constant("root", np.float32(1 / np.sqrt(WIDTH // HEADS)))
    graph.constant("joined", np.array([1, WORDS, WIDTH], np.int64))
    x = "words"
    for block in range(2):
        p = f"block{block}."
        query = split(p + "q", product(p + "query", x, 1.5), [0, 2, 1, 3])
        key = split(p + "k", product(p + "key", x, 1.5), [0, 2, 3, 1])
        value = split(p + "v", product(p + "value", x), [0, 2, 1, 3])
        scores = graph.add("MatMul", [query, key], p + "products")
        scores = graph.add("Mul", [scores, "root"], p + "scaled")
        scores = graph.add("Add", [scores, "mask"], p + "masked")
        shares = graph.add("Softmax", [scores], p + "shares", axis=-1)
        mixed = graph.add("MatMul", [shares, value], p + "mixed")
        mixed = graph.add("Transpose", [mixed], p + "back", perm=[0, 2, 1, 3])
        mixed = graph.add("Reshape", [mixed, "joined"], p + "flat")
        x = product(p + "out", mixed)
    product("logits", x, 3.0, 8)
    return graph.save(path, [("words", [1, WORDS, WIDTH])], [("logits", [1, WORDS, 8])])


def sentences(count, seed=6):
    return np.random.default_rng(seed).normal(0, 1, (count, WORDS, WIDTH)).astype(np.float32)
