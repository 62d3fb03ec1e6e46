"""Reads TFLite models, written with the schema's generated classes; the oracle is the LiteRT
interpreter.
"""

import flatbuffers
import numpy as np
import pytest
import tflite
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from tflite import BuiltinOperator, DimensionType, SparseIndexVector, TensorType

RNG = np.random.default_rng(13)
TYPES = {
    "float32": TensorType.FLOAT32,
    "float16": TensorType.FLOAT16,
    "int8": TensorType.INT8,
    "uint8": TensorType.UINT8,
    "int16": TensorType.INT16,
    "int32": TensorType.INT32,
    "int64": TensorType.INT64,
    "int4": TensorType.INT4,
}


class Builder:
    """Builds a model of one subgraph, table by table."""

    def __init__(self):
        self.b = flatbuffers.Builder(1024)
        self.buffers = [b""]
        self.tensors, self.operators, self.codes = [], [], []

    def vector(self, start, values, prepend):
        start(self.b, len(values))
        for value in reversed(values):
            prepend(value)
        return self.b.EndVector()

    def ints(self, start, values):
        return self.vector(start, list(values), self.b.PrependInt32)

    def indices(self, values):
        """Returns a union's type and table: an Int32Vector, Uint16Vector or Uint8Vector."""
        name = {"int32": "Int32Vector", "uint16": "Uint16Vector", "uint8": "Uint8Vector"}[
            values.dtype.name
        ]
        vector = self.b.CreateNumpyVector(values)
        getattr(tflite, f"{name}Start")(self.b)
        getattr(tflite, f"{name}AddValues")(self.b, vector)
        return getattr(SparseIndexVector, name), getattr(tflite, f"{name}End")(self.b)

    def level(self, level):
        lists = [None if values is None else self.indices(values) for values in level[1:]]
        tflite.DimensionMetadataStart(self.b)
        if len(level) == 1:
            tflite.DimensionMetadataAddFormat(self.b, DimensionType.DENSE)
            tflite.DimensionMetadataAddDenseSize(self.b, level[0])
        else:
            tflite.DimensionMetadataAddFormat(self.b, level[0])
        for part, added in zip(("ArraySegments", "ArrayIndices"), lists):
            if added is not None:
                getattr(tflite, f"DimensionMetadataAdd{part}Type")(self.b, added[0])
                getattr(tflite, f"DimensionMetadataAdd{part}")(self.b, added[1])
        return tflite.DimensionMetadataEnd(self.b)

    def sparsity(self, order, block_map, levels):
        """Levels are (size,) or (format, segments, indices)."""
        levels = [self.level(level) for level in levels]
        levels = self.offsets(tflite.SparsityParametersStartDimMetadataVector, levels)
        order = self.ints(tflite.SparsityParametersStartTraversalOrderVector, order)
        blocks = self.ints(tflite.SparsityParametersStartBlockMapVector, block_map)
        tflite.SparsityParametersStart(self.b)
        tflite.SparsityParametersAddTraversalOrder(self.b, order)
        tflite.SparsityParametersAddBlockMap(self.b, blocks)
        tflite.SparsityParametersAddDimMetadata(self.b, levels)
        return tflite.SparsityParametersEnd(self.b)

    def tensor(self, name, kind, shape, data=None, scales=None, zeros=None, axis=0, sparsity=None):
        quantization = None
        if scales is not None:
            scale = self.vector(
                tflite.QuantizationParametersStartScaleVector, list(scales), self.b.PrependFloat32
            )
            zero = self.vector(
                tflite.QuantizationParametersStartZeroPointVector, list(zeros), self.b.PrependInt64
            )
            tflite.QuantizationParametersStart(self.b)
            tflite.QuantizationParametersAddScale(self.b, scale)
            tflite.QuantizationParametersAddZeroPoint(self.b, zero)
            tflite.QuantizationParametersAddQuantizedDimension(self.b, axis)
            quantization = tflite.QuantizationParametersEnd(self.b)
        text = self.b.CreateString(name)
        sizes = self.ints(tflite.TensorStartShapeVector, shape)
        index = 0
        if data is not None:
            index = len(self.buffers)
            self.buffers.append(data.tobytes())
        tflite.TensorStart(self.b)
        tflite.TensorAddShape(self.b, sizes)
        tflite.TensorAddType(self.b, TYPES[kind])
        tflite.TensorAddBuffer(self.b, index)
        tflite.TensorAddName(self.b, text)
        if quantization is not None:
            tflite.TensorAddQuantization(self.b, quantization)
        if sparsity is not None:
            tflite.TensorAddSparsity(self.b, sparsity)
        self.tensors.append(tflite.TensorEnd(self.b))
        return len(self.tensors) - 1

    def operator(self, code, inputs, outputs, options_type=0, options=None):
        self.codes.append(code)
        into = self.ints(tflite.OperatorStartInputsVector, inputs)
        out = self.ints(tflite.OperatorStartOutputsVector, outputs)
        tflite.OperatorStart(self.b)
        tflite.OperatorAddOpcodeIndex(self.b, len(self.codes) - 1)
        tflite.OperatorAddInputs(self.b, into)
        tflite.OperatorAddOutputs(self.b, out)
        if options is not None:
            tflite.OperatorAddBuiltinOptionsType(self.b, options_type)
            tflite.OperatorAddBuiltinOptions(self.b, options)
        self.operators.append(tflite.OperatorEnd(self.b))

    def offsets(self, start, values):
        return self.vector(start, values, self.b.PrependUOffsetTRelative)

    def finish(self, inputs, outputs):
        b = self.b
        codes = []
        for code in self.codes:
            tflite.OperatorCodeStart(b)
            tflite.OperatorCodeAddDeprecatedBuiltinCode(b, min(code, 127))
            tflite.OperatorCodeAddVersion(b, 3 if code in (BuiltinOperator.CONV_2D,) else 1)
            tflite.OperatorCodeAddBuiltinCode(b, code)
            codes.append(tflite.OperatorCodeEnd(b))
        buffers = []
        for data in self.buffers:
            content = b.CreateByteVector(data) if data else None
            tflite.BufferStart(b)
            if content is not None:
                tflite.BufferAddData(b, content)
            buffers.append(tflite.BufferEnd(b))
        tensors = self.offsets(tflite.SubGraphStartTensorsVector, self.tensors)
        into = self.ints(tflite.SubGraphStartInputsVector, inputs)
        out = self.ints(tflite.SubGraphStartOutputsVector, outputs)
        operators = self.offsets(tflite.SubGraphStartOperatorsVector, self.operators)
        tflite.SubGraphStart(b)
        tflite.SubGraphAddTensors(b, tensors)
        tflite.SubGraphAddInputs(b, into)
        tflite.SubGraphAddOutputs(b, out)
        tflite.SubGraphAddOperators(b, operators)
        subgraph = tflite.SubGraphEnd(b)
        codes = self.offsets(tflite.ModelStartOperatorCodesVector, codes)
        subgraphs = self.offsets(tflite.ModelStartSubgraphsVector, [subgraph])
        buffers = self.offsets(tflite.ModelStartBuffersVector, buffers)
        description = b.CreateString("made for a test")
        tflite.ModelStart(b)
        tflite.ModelAddVersion(b, 3)
        tflite.ModelAddOperatorCodes(b, codes)
        tflite.ModelAddSubgraphs(b, subgraphs)
        tflite.ModelAddDescription(b, description)
        tflite.ModelAddBuffers(b, buffers)
        b.Finish(tflite.ModelEnd(b), b"TFL3")
        return bytes(b.Output())


def conv_options(b):
    tflite.Conv2DOptionsStart(b)
    tflite.Conv2DOptionsAddStrideW(b, 2)
    tflite.Conv2DOptionsAddStrideH(b, 2)
    return tflite.Conv2DOptionsEnd(b)


def quantized_network():
    m = Builder()
    x = m.tensor("x", "int8", [1, 8, 8, 3], scales=[0.5], zeros=[-3])
    codes = RNG.integers(-127, 128, (4, 3, 3, 3)).astype(np.int8)
    scales = (RNG.random(4) + 0.1).astype(np.float32)
    w = m.tensor("conv/w", "int8", codes.shape, codes, scales, [0] * 4, axis=0)
    bias = RNG.integers(-1000, 1000, 4).astype(np.int32)
    b = m.tensor("conv/b", "int32", [4], bias, scales * np.float32(0.5), [0] * 4)
    y = m.tensor("y", "int8", [1, 4, 4, 4], scales=[0.25], zeros=[7])
    m.operator(
        BuiltinOperator.CONV_2D,
        [x, w, b],
        [y],
        tflite.BuiltinOptions.Conv2DOptions,
        conv_options(m.b),
    )
    return m.finish([x], [y]), codes, scales, bias


def test_a_quantized_convolution(tmp_path, dump):
    content, codes, scales, bias = quantized_network()
    (tmp_path / "m.tflite").write_bytes(content)
    ours = dump(tmp_path / "m.tflite")
    np.testing.assert_array_equal(
        ours.values("conv/w"), codes.astype(np.float32) * scales[:, None, None, None]
    )
    np.testing.assert_array_equal(
        ours.values("conv/b"), bias.astype(np.float32) * (scales * np.float32(0.5))
    )
    (node,) = ours.listing["nodes"]
    assert node["op_type"] == "CONV_2D" and node["inputs"] == ["x", "conv/w", "conv/b"]
    assert (
        node["macs"] == 4 * 4 * 4 * 27
        and node["weight_bytes"] == 108 + 16
        and node["output_bytes"] == 64
    )
    assert ours.listing["inputs"] == ["x"] and ours.listing["outputs"] == ["y"]

    interpreter = Interpreter(model_content=content)
    for details in interpreter.get_tensor_details():
        tensor = ours.tensors[details["name"]]
        assert tensor["shape"] == details["shape"].tolist()
        assert tensor["type"] == np.dtype(details["dtype"]).name
        theirs = details["quantization_parameters"]
        np.testing.assert_array_equal(
            np.float32(tensor["quantization"]["scales"]), theirs["scales"]
        )
        assert tensor["quantization"]["zero_points"] == theirs["zero_points"].tolist()
        assert tensor["quantization"]["axis"] == theirs["quantized_dimension"]


@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind != "int4"])
def test_every_element_type(tmp_path, dump, kind):
    m = Builder()
    array = (RNG.random((3, 5)) * 100).astype(kind)
    w = m.tensor("w", kind, array.shape, array)
    y = m.tensor("y", "float32", array.shape)
    m.operator(BuiltinOperator.DEQUANTIZE, [w], [y])
    (tmp_path / "m.tflite").write_bytes(m.finish([], [y]))
    ours = dump(tmp_path / "m.tflite")
    assert ours.tensors["w"]["type"] == kind
    np.testing.assert_array_equal(ours.values("w"), array.astype(np.float32))
    np.testing.assert_array_equal(ours.values("y"), array.astype(np.float32))


def test_fully_connected_and_depthwise_work_is_counted(tmp_path, dump):
    m = Builder()
    x = m.tensor("x", "float32", [1, 8, 8, 3])
    w = m.tensor("dw", "float32", [1, 3, 3, 6], np.zeros((1, 3, 3, 6), np.float32))
    h = m.tensor("h", "float32", [1, 6, 6, 6])
    m.operator(BuiltinOperator.DEPTHWISE_CONV_2D, [x, w, -1], [h])
    fc = m.tensor("fc", "float32", [10, 216], np.zeros((10, 216), np.float32))
    y = m.tensor("y", "float32", [1, 10])
    m.operator(BuiltinOperator.FULLY_CONNECTED, [h, fc, -1], [y])
    (tmp_path / "m.tflite").write_bytes(m.finish([x], [y]))
    depthwise, dense = dump(tmp_path / "m.tflite").listing["nodes"]
    assert depthwise["macs"] == 6 * 6 * 6 * 9 and dense["macs"] == 2160
    assert depthwise["inputs"] == ["x", "dw", None]


def test_operators_above_127_have_their_name(tmp_path, dump):
    m = Builder()
    x = m.tensor("x", "float32", [2])
    y = m.tensor("y", "float32", [2])
    m.operator(BuiltinOperator.GELU, [x], [y])
    (tmp_path / "m.tflite").write_bytes(m.finish([x], [y]))
    assert dump(tmp_path / "m.tflite").ops == ["GELU"]


def pruned(kind, shape, keep=0.3):
    """Returns integers that every type can represent; most of them are zero, and one row contains
    only zeros.
    """
    array = RNG.integers(1, 100, shape) * (RNG.random(shape) < keep)
    array[0] = 0
    return array.astype(kind)


def sparse(array, formats, order=None, blocks=None, widths=("int32", "int32")):
    """Returns the encoding that the schema requires: (order, block map, levels), values and bytes
    of the lists.

    `formats` has a letter for each level, d or s; `blocks` the sizes by dimension.
    """
    rank, blocks = array.ndim, blocks or {}
    order = list(range(rank + len(blocks))) if order is None else order
    split, outer, inner = [], [], []
    for dimension, size in enumerate(array.shape):
        outer.append(len(split))
        block = blocks.get(dimension, 1)
        split.append(size // block)
        if dimension in blocks:
            inner.append(len(split))
            split.append(block)
    tree = array.reshape(split).transpose([(outer + inner)[dimension] for dimension in order])

    levels, nodes, index_bytes = [], [()], 0
    for depth, letter in enumerate(formats):
        size = tree.shape[depth]
        if letter == "d":
            levels.append((size,))
            nodes = [(*node, i) for node in nodes for i in range(size)]
            continue
        children = [[i for i in range(size) if tree[(*node, i)].any()] for node in nodes]
        segments = np.cumsum([0, *map(len, children)]).astype(widths[0])
        indices = np.array([i for some in children for i in some], widths[1])
        levels.append((DimensionType.SPARSE_CSR, segments, indices))
        nodes = [(*node, i) for node, some in zip(nodes, children) for i in some]
        index_bytes += segments.nbytes + indices.nbytes
    values = np.array([tree[node] for node in nodes], array.dtype)
    return (order, sorted(blocks), levels), values, index_bytes


def densified(array, *how, scales=None, zeros=None, axis=0, **more):
    """Returns a model of one sparse constant with its DENSIFY, and the part of it that the file
    contains.
    """
    m = Builder()
    kind, quantization = array.dtype.name, dict(scales=scales, zeros=zeros, axis=axis)
    parameters, values, index_bytes = sparse(array, *how, **more)
    w = m.tensor("w", kind, array.shape, values, sparsity=m.sparsity(*parameters), **quantization)
    y = m.tensor("y", kind, array.shape, **quantization)
    m.operator(BuiltinOperator.DENSIFY, [w], [y])
    return m.finish([], [y]), values.nbytes + index_bytes


def interpreted(content):
    interpreter = Interpreter(
        model_content=content,
        experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    )
    interpreter.allocate_tensors()
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])


SPARSE = {
    "rows": dict(shape=(6, 10), formats="ds"),
    "columns": dict(shape=(6, 10), formats="ds", order=[1, 0]),
    "both": dict(shape=(6, 10), formats="ss"),
    "all dense": dict(shape=(6, 10), formats="dd"),
    "dense behind sparse": dict(shape=(6, 4, 5), formats="dsd"),
    "vector": dict(shape=(40,), formats="s"),
    "blocks of 1x4": dict(shape=(8, 12), formats="dsd", blocks={1: 4}),
    "blocks of 4x2": dict(shape=(8, 12), formats="dsdd", blocks={0: 4, 1: 2}),
    "blocks by column": dict(
        shape=(8, 12), formats="dsdd", blocks={0: 4, 1: 2}, order=[1, 0, 3, 2]
    ),
    "convolution": dict(shape=(4, 3, 3, 16), formats="dddsd", blocks={3: 4}),
    "convolution, sparse kernels": dict(shape=(4, 3, 3, 16), formats="dsssd", blocks={3: 4}),
    "convolution, channels first": dict(
        shape=(4, 3, 3, 16), formats="dssdd", blocks={3: 4}, order=[0, 3, 1, 2, 4]
    ),
}


@pytest.mark.parametrize("kind", ["float32", "float16", "int8"])
@pytest.mark.parametrize("layout", SPARSE)
def test_sparse_constants_are_what_the_interpreter_makes_of_them(tmp_path, dump, layout, kind):
    how = dict(SPARSE[layout])
    array = pruned(kind, how.pop("shape"))
    content, stored_bytes = densified(array, **how)
    (tmp_path / "m.tflite").write_bytes(content)
    ours = dump(tmp_path / "m.tflite")
    np.testing.assert_array_equal(interpreted(content), array)
    np.testing.assert_array_equal(ours.values("w"), array.astype(np.float32))
    np.testing.assert_array_equal(ours.values("y"), array.astype(np.float32))
    assert ours.tensors["w"]["type"] == kind and ours.tensors["w"]["bytes"] == stored_bytes
    assert ours.tensors["y"]["source"] == "w"


@pytest.mark.parametrize("indices", ["uint8", "uint16", "int32"])
@pytest.mark.parametrize("segments", ["uint8", "uint16", "int32"])
def test_sparse_lists_of_every_width(tmp_path, dump, segments, indices):
    array = pruned("float32", (7, 200), keep=0.1)
    array[3, 199] = 5
    content, stored_bytes = densified(array, "ds", widths=(segments, indices))
    (tmp_path / "m.tflite").write_bytes(content)
    ours = dump(tmp_path / "m.tflite")
    np.testing.assert_array_equal(interpreted(content), array)
    np.testing.assert_array_equal(ours.values("w"), array)
    assert ours.tensors["w"]["bytes"] == stored_bytes < array.nbytes


@pytest.mark.parametrize("kind", [kind for kind in TYPES if kind != "int4"])
def test_sparse_constants_of_every_element_type(tmp_path, dump, kind):
    array = pruned(kind, (5, 8))
    (tmp_path / "m.tflite").write_bytes(densified(array, "ds")[0])
    np.testing.assert_array_equal(dump(tmp_path / "m.tflite").values("y"), array.astype(np.float32))


def test_sparse_codes_have_their_scales(tmp_path, dump):
    codes = pruned("int8", (4, 3, 3, 8))
    scales = (RNG.random(4) + 0.1).astype(np.float32)
    content, _ = densified(codes, "dddsd", blocks={3: 4}, scales=scales, zeros=[0] * 4)
    (tmp_path / "m.tflite").write_bytes(content)
    np.testing.assert_array_equal(interpreted(content), codes)
    ours = dump(tmp_path / "m.tflite")
    real = codes.astype(np.float32) * scales[:, None, None, None]
    np.testing.assert_array_equal(ours.values("w"), real)
    np.testing.assert_array_equal(ours.values("y"), real)


def test_left_out_codes_are_zero_whatever_the_zero_point(tmp_path, dump):
    codes = pruned("int8", (5, 8))
    content, _ = densified(codes, "ds", scales=[0.5], zeros=[-3])
    (tmp_path / "m.tflite").write_bytes(content)
    np.testing.assert_array_equal(interpreted(content), codes)
    real = (codes.astype(np.float32) + 3) * np.float32(0.5)
    np.testing.assert_array_equal(dump(tmp_path / "m.tflite").values("y"), real)


def sparse_network(is_sparse=True):
    """Returns a convolution whose float16 weights pass DENSIFY and DEQUANTIZE, or neither."""
    weights = np.random.default_rng(7).normal(size=(4, 3, 3, 8)).astype(np.float16)
    weights[np.random.default_rng(8).random(weights.shape) < 0.7] = 0
    m = Builder()
    x = m.tensor("x", "float32", [1, 8, 8, 8])
    if is_sparse:
        parameters, values, index_bytes = sparse(weights, "ddds", widths=("uint8", "uint8"))
        w = m.tensor("conv/w", "float16", weights.shape, values, sparsity=m.sparsity(*parameters))
        stored_bytes = values.nbytes + index_bytes
        dense = m.tensor("conv/dense", "float16", weights.shape)
        m.operator(BuiltinOperator.DENSIFY, [w], [dense])
    else:
        dense = m.tensor("conv/dense", "float16", weights.shape, weights)
        stored_bytes = weights.nbytes
    real = m.tensor("conv/real", "float32", weights.shape)
    m.operator(BuiltinOperator.DEQUANTIZE, [dense], [real])
    bias = m.tensor("conv/b", "float32", [4], np.ones(4, np.float32))
    y = m.tensor("y", "float32", [1, 4, 4, 4])
    m.operator(
        BuiltinOperator.CONV_2D,
        [x, real, bias],
        [y],
        tflite.BuiltinOptions.Conv2DOptions,
        conv_options(m.b),
    )
    return m.finish([x], [y]), weights, stored_bytes


def test_layers_find_their_sparse_weights_and_count_what_is_stored(tmp_path, dump):
    content, weights, stored_bytes = sparse_network()
    (tmp_path / "m.tflite").write_bytes(content)
    ours = dump(tmp_path / "m.tflite")
    assert ours.tensors["conv/real"]["source"] == "conv/w"
    np.testing.assert_array_equal(ours.values("conv/real"), weights.astype(np.float32))
    conv = ours.listing["nodes"][-1]
    assert conv["op_type"] == "CONV_2D" and conv["macs"] == 4 * 4 * 4 * 72
    assert conv["weight_bytes"] == stored_bytes + 16 < weights.nbytes


def test_sparse_elements_that_share_bytes_are_described_and_not_read(tmp_path, dump):
    m = Builder()
    parameters, _, _ = sparse(np.eye(4, dtype=np.int8), "ds")
    w = m.tensor("w", "int4", [4, 4], np.zeros(2, np.int8), sparsity=m.sparsity(*parameters))
    (tmp_path / "m.tflite").write_bytes(m.finish([], [w]))
    tensor = dump(tmp_path / "m.tflite").tensors["w"]
    assert tensor["type"] == "int4" and tensor["shape"] == [4, 4]
    assert not tensor["is_constant"] and not tensor["is_weight"]
