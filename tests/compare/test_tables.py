"""Embedding tables, quantized in all forms of ONNX Runtime's own tools. The rows that its kernels
take from a table are the oracle."""

import numpy as np
import onnx
import onnxruntime
import openvino
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType
from onnxruntime.quantization import quantize_dynamic, quantize_static
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

ENTRIES, WIDTH, LENGTH = 500, 64, 16


class Samples(CalibrationDataReader):
    def __init__(self, ids):
        self.left = iter(ids)

    def get_next(self):
        ids = next(self.left, None)
        return None if ids is None else {"ids": ids}


class Embeddings:
    """Returns a model that adds embeddings of words and positions, followed by two products."""

    def __init__(self, folder):
        self.folder = folder
        self.random = np.random.default_rng(7)
        self.words = self.normal(0.5, ENTRIES, WIDTH)
        self.places = self.normal(0.1, LENGTH, WIDTH)
        self.samples = self.random.integers(0, ENTRIES, (20, 1, LENGTH))
        self.data = folder / "ids.npz"
        np.savez(self.data, ids=self.samples)
        self.path = folder / "float.onnx"
        self.save()

    def normal(self, deviation, *shape):
        return self.random.normal(0, deviation, shape).astype(np.float32)

    def save(self):
        nodes = [
            helper.make_node("Gather", ["words", "ids"], ["word"], name="words"),
            helper.make_node("Gather", ["places", "order"], ["place"], name="places"),
            helper.make_node("Add", ["word", "place"], ["sum"], name="sum"),
            helper.make_node("MatMul", ["sum", "w1"], ["hidden"], name="first"),
            helper.make_node("Relu", ["hidden"], ["positive"], name="relu"),
            helper.make_node("MatMul", ["positive", "w2"], ["y"], name="second"),
        ]
        constants = {
            "words": self.words,
            "places": self.places,
            "order": np.arange(LENGTH),
            "w1": self.normal(0.1, WIDTH, WIDTH),
            "w2": self.normal(0.1, WIDTH, 32),
        }
        graph = helper.make_graph(
            nodes, "graph",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "length"])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, "length", 32])],
            [numpy_helper.from_array(values, name) for name, values in constants.items()],
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        onnx.save(model, self.path)

    def quantize(self, way):
        path = self.folder / f"{way}.onnx"
        if way == "dynamic":
            quantize_dynamic(self.path, path, weight_type=QuantType.QInt8)
        elif way == "blocks":
            quantizer = MatMulNBitsQuantizer(
                onnx.load(self.path), block_size=32, is_symmetric=True,
                op_types_to_quantize=("MatMul", "Gather"),
            )  # fmt: skip
            quantizer.process()
            quantizer.model.save_model_to_file(str(path))
        else:
            quantize_static(
                self.path, path, Samples(self.samples), quant_format=QuantFormat[way],
                weight_type=QuantType.QInt8,
            )  # fmt: skip
        return path


def words_in(path):
    """Returns all entries of the table as ONNX Runtime dequantizes them."""
    model = onnx.load(path)
    gather = next(node for node in model.graph.node if "ids" in node.input)
    output = gather.output[0]
    behind = next((node for node in model.graph.node if output in node.input), None)
    if behind is not None and behind.op_type == "DequantizeLinear":
        output = behind.output[0]
    elif behind is not None and behind.op_type == "QLinearAdd":  # Codes, their scale and zero.
        scale, zero = list(behind.input)[list(behind.input).index(output) + 1 :][:2]
        model.graph.node.append(helper.make_node("DequantizeLinear", [output, scale, zero], ["floats"]))
        output = "floats"
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info(output, TensorProto.FLOAT, None))
    # Later nodes need the length of a sample.
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    parts = []
    for first in range(0, ENTRIES + LENGTH - 1, LENGTH):
        ids = np.minimum(np.arange(first, first + LENGTH), ENTRIES - 1)[None]
        parts.append(session.run(None, {"ids": ids})[0][0])
    return np.concatenate(parts)[:ENTRIES]


def sqnr(x, y, axis=None):
    x, y = x.astype(np.float64), y.astype(np.float64)
    return 10 * np.log10((x * x).sum(axis) / ((x - y) ** 2).sum(axis))


WAYS = ["QDQ", "QOperator", "dynamic", "blocks"]


@pytest.fixture(scope="module")
def embeddings(tmp_path_factory):
    return Embeddings(tmp_path_factory.mktemp("embeddings"))


def layers_of(result):
    return {layer["name"]: layer for layer in result["layers"]}


@pytest.mark.parametrize("way", WAYS)
def test_tables_are_compared_as_onnx_runtime_reads_them(embeddings, compare, way):
    path = embeddings.quantize(way)
    result = compare(embeddings.path, path, "--data", embeddings.data)
    layers = layers_of(result)
    assert set(layers) >= {"words", "places", "first", "second"}
    assert {layer["level"] for layer in layers.values()} == {"green"}
    assert not result["baseline_only"] and not result["variant_only"]
    table = words_in(path)
    found = layers["words"]
    assert found["op_type"] == "Gather"
    assert found["weight"]["sqnr_db"] == pytest.approx(sqnr(embeddings.words, table), abs=1e-6)
    # A channel is a column, because the following products sum over columns.
    worst = sqnr(embeddings.words, table, axis=0)
    assert found["weight"]["worst_channel_sqnr_db"] == pytest.approx(worst.min(), abs=1e-4)
    assert found["weight"]["worst_channel"] == worst.argmin()
    assert not [each for each in result["lint"] if each["rule"] == "weight_zero_point"]


@pytest.mark.parametrize("way", WAYS)
def test_a_table_with_a_broken_scale_is_named_first(embeddings, compare, way, tmp_path):
    model = onnx.load(embeddings.quantize(way))
    scale = next(
        each for each in model.graph.initializer
        if each.name.startswith("words") and each.name.rpartition("_")[2] in ("scale", "scales")
    )  # fmt: skip
    scale.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(scale) * np.float32(1.6), scale.name))
    broken = tmp_path / "broken.onnx"
    onnx.save(model, broken)
    first = compare(embeddings.path, broken, "--data", embeddings.data)["layers"][0]
    assert (first["name"], first["level"], first["cause"]) == ("words", "red", "wrong_scale")


def test_one_large_column_is_the_cause(compare, tmp_path):
    outlier = Embeddings(tmp_path)
    outlier.words[:, 9] *= 100
    outlier.save()
    result = compare(outlier.path, outlier.quantize("QDQ"), "--data", outlier.data)
    first = result["layers"][0]
    assert (first["name"], first["cause"]) == ("words", "channel_spread")
    # The largest channel changes at 14 of 274 clear positions.
    assert (result["verdict"]["level"], first["level"]) == ("degraded", "red")


def test_what_openvino_makes_of_a_table_is_the_same(embeddings, compare, tmp_path):
    path = tmp_path / "model.xml"
    model = openvino.convert_model(str(embeddings.path))
    openvino.save_model(model, str(path), compress_to_fp16=False)
    result = compare(embeddings.path, path)
    layers = layers_of(result)
    assert set(layers) == {"words", "first", "second"}
    # Its indices are constant, so ONNX Runtime computes it once.
    assert result["baseline_only"] == ["places"]
    for layer in layers.values():
        assert layer["weight"]["mse"] == 0
