"""TFLite models, written with the schema's generated classes and judged by the LiteRT interpreter."""

import flatbuffers
import numpy as np
import pytest
import tflite
from ai_edge_litert.interpreter import Interpreter
from tflite import BuiltinOperator, TensorType

RNG = np.random.default_rng(13)
TYPES = {
    "float32": TensorType.FLOAT32,
    "float16": TensorType.FLOAT16,
    "int8": TensorType.INT8,
    "uint8": TensorType.UINT8,
    "int16": TensorType.INT16,
    "int32": TensorType.INT32,
    "int64": TensorType.INT64,
}


class Builder:
    """A model of one subgraph, table by table."""

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

    def tensor(self, name, kind, shape, data=None, scales=None, zeros=None, axis=0):
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


@pytest.mark.parametrize("kind", [kind for kind in TYPES])
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
