"""Tests MatMulNBits in every form that ONNX Runtime supports: compares our weights with the matrix
that it multiplies by.
"""

import ast

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import test_four_bits as four_bits
from conftest import run_compare

ROWS = 6  # N.
# ONNX Runtime has no kernel for eight bits with zero points that are floats.
FORMS = [(bits, kind) for bits in (2, 4, 8) for kind in ("none", "packed", "whole floats")[: 2 if bits == 8 else 3]]


def packed(codes, bits):
    """Packs rows of codes into bytes, the first code in the lowest bits; each row begins with a new
    byte.
    """
    per_byte = 8 // bits
    rows = np.pad(codes, ((0, 0), (0, -codes.shape[1] % per_byte))).reshape(len(codes), -1, per_byte)
    return sum(rows[..., i] << bits * i for i in range(per_byte)).astype(np.uint8)


class Blocks:
    """Returns a MatMulNBits `fc_Q…` and the MatMul `fc` it was made from, with random weights."""

    def __init__(self, columns, bits=4, block=16, zero_points="none"):
        random = np.random.default_rng(columns)
        self.bits, self.columns, self.block = bits, columns, block
        self.weights = random.standard_normal((columns, ROWS)).astype(np.float32)
        blocks = -(-columns // block)
        padded = np.pad(self.weights.T, ((0, 0), (0, blocks * block - columns)))
        padded = padded.reshape(ROWS, blocks, block)
        if zero_points == "none":
            zeros = np.full((ROWS, blocks), 1 << bits - 1)
        else:
            zeros = random.integers(0, 1 << bits, (ROWS, blocks))
        scales = (np.ptp(padded, -1) / ((1 << bits) - 1)).astype(np.float32)
        codes = np.round(padded / scales[..., None]) + zeros[..., None]
        codes = np.clip(codes, 0, (1 << bits) - 1).astype(int)
        # Fills the padding with random data, which neither ONNX Runtime nor our reader may use.
        codes.reshape(ROWS, -1)[:, columns:] = random.integers(0, 1 << bits, blocks * block - columns)
        self.constants = {
            "w_Q": packed(codes.reshape(ROWS, -1), bits).reshape(ROWS, blocks, -1),
            "w_scales": scales.ravel(),
        }
        if zero_points == "packed":
            self.constants["w_zeros"] = packed(zeros, bits).ravel()
        elif zero_points == "whole floats":
            self.constants["w_zeros"] = zeros.astype(np.float32).ravel()
        self.attributes = {"K": columns, "N": ROWS, "bits": bits, "block_size": block}

    def save(self, node, constants, path):
        graph = helper.make_graph(
            [node], "graph",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", self.columns])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", ROWS])],
            [numpy_helper.from_array(values, name) for name, values in constants.items()],
        )  # fmt: skip
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), str(path))
        return path

    def before(self, folder):
        node = helper.make_node("MatMul", ["x", "w"], ["y"], "fc")
        return self.save(node, {"w": self.weights}, folder / "fp32.onnx")

    def after(self, folder):
        inputs = ["x", "w_Q", "w_scales"]
        inputs += [name if name in self.constants else "" for name in ("w_zeros", "groups")]
        node = helper.make_node(
            "MatMulNBits", inputs, ["y"], f"fc_Q{self.bits}", domain="com.microsoft", **self.attributes
        )
        return self.save(node, self.constants, folder / "blocks.onnx")


def multiplied_by(path, columns):
    """Returns the matrix that ONNX Runtime multiplies by: its result for the identity."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.eye(columns, dtype=np.float32)})[0]


@pytest.mark.parametrize("bits, zero_points", FORMS)
@pytest.mark.parametrize("columns", [5, 17, 48, 100, 128], ids="K={}".format)
def test_what_is_compared_is_what_onnx_runtime_multiplies_by(columns, bits, zero_points, compare, tmp_path):
    blocks = Blocks(columns, bits, zero_points=zero_points)
    before, after = blocks.before(tmp_path), blocks.after(tmp_path)
    used = multiplied_by(after, columns).astype(np.float64)
    report = compare(before, after, "--samples", 0)
    (layer,) = report["layers"]
    error = ((blocks.weights - used) ** 2).sum()
    assert (layer["name"], layer["bits"], report["remarks"]) == ("fc", bits, [])
    assert layer["weight"]["sqnr_db"] == pytest.approx(10 * np.log10((blocks.weights.astype(np.float64) ** 2).sum() / error), abs=1e-3)
    channels = (blocks.weights**2).sum(0) / ((blocks.weights - used) ** 2).sum(0)
    assert layer["weight"]["worst_channel_sqnr_db"] == pytest.approx(10 * np.log10(channels.min()), abs=1e-3)


def test_the_padded_product_is_restored_to_the_floats(compare, tmp_path):
    blocks = Blocks(100)
    report = compare(blocks.before(tmp_path), blocks.after(tmp_path), "--verify", 1)
    kept = {entry["text"]: entry["sqnr_db"] for entry in report["verified"]}
    assert kept["as it is"] < 30
    assert kept["all weights in float"] is None  # Exact.


def test_groups_in_the_order_of_columns_are_no_news(compare, tmp_path):
    blocks = Blocks(100)
    plain = compare(blocks.before(tmp_path), blocks.after(tmp_path), "--samples", 0)
    blocks.constants["groups"] = (np.arange(100) // blocks.block).astype(np.int32)
    listed = compare(blocks.before(tmp_path), blocks.after(tmp_path), "--samples", 0)
    assert listed["layers"][0]["weight"] == plain["layers"][0]["weight"]


def two_of(good, bad, folder, method):
    """Returns a file with both products of one input; the constants of `bad` have other names."""
    path = getattr(good, method)(folder)
    model, other = onnx.load(path), onnx.load(getattr(bad, method)(folder))
    renamed = {initializer.name: f"bad_{initializer.name}" for initializer in other.graph.initializer}
    for initializer in other.graph.initializer:
        initializer.name = renamed[initializer.name]
    (node,) = other.graph.node
    node.input[:] = [renamed.get(name, name) for name in node.input]
    node.name, node.output[0] = f"bad_{node.name}", "bad_y"
    model.graph.node.append(node)
    model.graph.initializer.extend(other.graph.initializer)
    model.graph.output.append(helper.make_tensor_value_info("bad_y", TensorProto.FLOAT, ["batch", ROWS]))
    onnx.save(model, str(path))
    return path


def shuffled_groups(blocks):
    blocks.constants["groups"] = np.random.default_rng(1).permutation(100).astype(np.int32) // blocks.block


def prepacked(blocks):
    blocks.attributes["weight_prepacked"] = 1


def zero_points_between_codes(blocks):
    blocks.constants["w_zeros"] = np.full(blocks.constants["w_scales"].shape, 7.5, np.float32)


def resized(**attributes):
    def change(blocks):
        blocks.attributes.update(attributes)

    change.__name__ = ",".join(f"{key}={value}" for key, value in attributes.items())
    return change


def fewer_scales(blocks):
    blocks.constants["w_scales"] = blocks.constants["w_scales"][:-1]


def zero_points_without_padding(blocks):
    blocks.constants["w_zeros"] = np.zeros(ROWS * 7 // 2, np.uint8)  # Rows of 3.5 bytes.


SIZES = "its K, N, bits and block_size do not fit the sizes of its tensors"
UNREAD = [
    (shuffled_groups, "its columns are reordered (g_idx)"),
    (prepacked, "its weights are laid out for one device (weight_prepacked)"),
    (zero_points_between_codes, "its zero points are not integers, one for each block"),
    (fewer_scales, SIZES),
    (zero_points_without_padding, SIZES),
    (resized(K=128), SIZES),
    (resized(K=-100), SIZES),
    (resized(K=2**62, block_size=2**62), SIZES),
    (resized(N=5), SIZES),
    (resized(N=0), SIZES),
    (resized(bits=2), SIZES),
    (resized(bits=3), SIZES),
    (resized(bits=8), SIZES),
    (resized(block_size=32), SIZES),
    (resized(block_size=0), SIZES),
    (resized(block_size=1), SIZES),
]


@pytest.mark.parametrize("change, reason", UNREAD, ids=[change.__name__ for change, _ in UNREAD])
def test_what_cannot_be_read_is_named_and_not_compared(change, reason, compare, tmp_path):
    good, bad = Blocks(48), Blocks(100)
    change(bad)
    (tmp_path / "alone").mkdir()
    alone = run_compare(bad.before(tmp_path / "alone"), bad.after(tmp_path / "alone"), "--samples", 0)
    sentence = f"MatMulNBits 'fc_Q4' of 'blocks.onnx' is not compared: {reason}"
    assert alone.returncode == 1 and alone.stderr.endswith(f"of one model. {sentence}\n")

    report = compare(two_of(good, bad, tmp_path, "before"), two_of(good, bad, tmp_path, "after"), "--samples", 0)
    assert [layer["name"] for layer in report["layers"]] == ["fc"]
    assert report["remarks"] == [sentence.replace("fc_Q4", "bad_fc_Q4") + "."]
    assert report["baseline_only"] == ["bad_fc"]


@pytest.mark.parametrize("quant_format", ["QOperator", "QDQ"])
def test_advice_is_what_the_quantizer_of_weights_takes(quant_format, compare, tmp_path):
    """The snippet is run unchanged: the red layer stays in float, and others keep their bits."""
    pytest.importorskip("onnx_ir", reason="scripts/fetch-onnxruntime brings it")
    from onnxruntime.quantization import QuantFormat
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    weights = four_bits.weights_of()
    weights["first"] = np.where(weights["first"] > 0, 0.05, -0.05).astype(np.float32)
    weights["first"][0] = 1  # The weight uses all codes, so other weights are lost.
    before = four_bits.float_model(weights, tmp_path)
    settings = {"bits": 4, "block_size": 128, "is_symmetric": True}
    quantizer = MatMulNBitsQuantizer(str(before), quant_format=QuantFormat[quant_format], **settings)
    quantizer.process()
    quantizer.model.save_model_to_file(str(tmp_path / "int4.onnx"))
    report = compare(before, tmp_path / "int4.onnx")
    assert [layer["name"] for layer in report["layers"] if layer["level"] == "red"] == ["first"]
    advice = report["keep_float"]
    for toolchain, snippet in advice.items():
        if toolchain != "neural_compressor_op_wise":
            ast.parse(snippet)
    assert advice["onnxruntime"] in run_compare(before, tmp_path / "int4.onnx", "--all").stdout

    files = {"model_input": str(before), "model_output": str(tmp_path / "kept.onnx")}
    exec(advice["onnxruntime"], {"MatMulNBitsQuantizer": MatMulNBitsQuantizer, **settings, **files})
    bits = {layer["name"]: layer["bits"] for layer in compare(before, tmp_path / "kept.onnx")["layers"]}
    assert bits == {"first": 32, "second": 4, "third": 4}


def test_of_what_is_lost_no_number_is_told(compare, tmp_path):
    blocks = Blocks(48)
    blocks.weights[:] = 0  # The codes belong to other layers.
    report = compare(blocks.before(tmp_path), blocks.after(tmp_path), "--samples", 0)
    assert report["layers"][0]["explanation"].startswith("weights changed: the signal is lost and the cosine 0;")
    text = run_compare(blocks.before(tmp_path), blocks.after(tmp_path), "--samples", 0).stdout
    assert " lost " in text and "inf" not in text
