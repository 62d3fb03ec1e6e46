"""Reads quantized ONNX models; the oracles are the onnx package's reference evaluator and numpy."""

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from onnx_models import RNG, f32, save


def dequantized(path, name):
    """Returns the reference evaluator's value of tensor `name` of a model without inputs."""
    return ReferenceEvaluator(str(path)).run([name], {})[0]


@pytest.mark.parametrize(
    "shape, scale, zero, attributes",
    [
        ((6, 4), 0.02, 3, {}),
        ((6, 4), RNG.random(6) + 0.1, RNG.integers(-5, 5, 6), {"axis": 0}),
        ((6, 4), RNG.random(4) + 0.1, RNG.integers(-5, 5, 4), {"axis": 1}),
        ((2, 6, 3, 3), RNG.random(6) + 0.1, None, {"axis": 1}),
        (
            (6, 8),
            RNG.random((6, 2)) + 0.1,
            RNG.integers(-5, 5, (6, 2)),
            {"axis": 1, "block_size": 4},
        ),
        (
            (8, 6),
            RNG.random((2, 6)) + 0.1,
            RNG.integers(-5, 5, (2, 6)),
            {"axis": 0, "block_size": 4},
        ),
        ((3, 8, 5), RNG.random((3, 2, 5)) + 0.1, None, {"axis": -2, "block_size": 4}),
    ],
    ids=[
        "per tensor",
        "rows",
        "columns",
        "channels",
        "groups",
        "groups down",
        "groups in the middle",
    ],
)
def test_dequantize_linear(tmp_path, dump, shape, scale, zero, attributes):
    codes = RNG.integers(-128, 128, shape).astype(np.int8)
    initializers = [
        numpy_helper.from_array(codes, "codes"),
        numpy_helper.from_array(np.array(scale, np.float32), "scale"),
    ]
    inputs = ["codes", "scale"]
    if zero is not None:
        initializers.append(numpy_helper.from_array(np.array(zero, np.int8), "zero"))
        inputs.append("zero")
    save(
        tmp_path / "m.onnx",
        [helper.make_node("DequantizeLinear", inputs, ["w"], **attributes)],
        [],
        [f32("w", *shape)],
        initializers,
    )
    ours = dump(tmp_path / "m.onnx")
    expected = dequantized(tmp_path / "m.onnx", "w")
    np.testing.assert_array_equal(ours.values("w"), expected)
    np.testing.assert_array_equal(ours.values("codes"), expected)
    assert ours.tensors["codes"]["quantization"]["origin"] == "qdq"


def test_weights_that_the_graph_quantizes_are_read_as_they_will_be_used(tmp_path, dump):
    weights = RNG.normal(size=(5, 7)).astype(np.float32)
    scales = (np.abs(weights).max(1) / 150).astype(np.float32)  # Some values are clipped.
    save(
        tmp_path / "m.onnx",
        [
            helper.make_node("QuantizeLinear", ["w", "s", "z"], ["q"], axis=0),
            helper.make_node("DequantizeLinear", ["q", "s", "z"], ["dq"], axis=0),
        ],
        [],
        [f32("dq", 5, 7)],
        [
            numpy_helper.from_array(weights, "w"),
            numpy_helper.from_array(scales, "s"),
            numpy_helper.from_array(np.full(5, 20, np.int8), "z"),
        ],
    )
    ours = dump(tmp_path / "m.onnx")
    expected = dequantized(tmp_path / "m.onnx", "dq")
    assert np.abs(expected - weights).max() > 0.01
    np.testing.assert_array_equal(ours.values("dq"), expected)
    np.testing.assert_array_equal(ours.values("w"), weights)


def test_q_operators(tmp_path, dump):
    weights = RNG.integers(-127, 128, (4, 3, 3, 3)).astype(np.int8)
    scales = (RNG.random(4) + 0.1).astype(np.float32)
    bias = RNG.integers(-1000, 1000, 4).astype(np.int32)

    def scalar(name, value, kind):
        return numpy_helper.from_array(np.array(value, kind), name)

    save(
        tmp_path / "m.onnx",
        [
            helper.make_node(
                "QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"], "conv"
            ),
        ],
        [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 4, 6, 6])],
        [
            scalar("xs", 0.5, np.float32),
            scalar("xz", 128, np.uint8),
            numpy_helper.from_array(weights, "w"),
            numpy_helper.from_array(scales, "ws"),
            numpy_helper.from_array(np.zeros(4, np.int8), "wz"),
            scalar("ys", 0.25, np.float32),
            scalar("yz", 3, np.uint8),
            numpy_helper.from_array(bias, "b"),
        ],
    )
    ours = dump(tmp_path / "m.onnx")
    np.testing.assert_array_equal(
        ours.values("w"), weights.astype(np.float32) * scales[:, None, None, None]
    )
    np.testing.assert_array_equal(
        ours.values("b"), bias.astype(np.float32) * (np.float32(0.5) * scales)
    )
    assert ours.tensors["y"]["quantization"]["scales"] == [0.25]
    assert ours.tensors["y"]["quantization"]["zero_points"] == [3]
    assert ours.tensors["x"]["quantization"]["zero_points"] == [128]
    assert ours.nodes["conv"]["macs"] == 4 * 6 * 6 * 27
    assert ours.nodes["conv"]["weight_bytes"] == 108 + 16 + 4 + 16 + 4 + 1 + 4 + 1


@pytest.mark.parametrize("scales", [[0.25], [0.25, 0.5, 0.125, 2]], ids=["per tensor", "channels"])
@pytest.mark.parametrize("shape", [(4,), (1, 4)], ids=["row", "matrix of one row"])
def test_bias_codes_of_a_product_have_the_scales_of_its_inputs(tmp_path, dump, shape, scales):
    scales = np.array(scales, np.float32)
    bias = RNG.integers(-1000, 1000, shape).astype(np.int32)
    constants = {
        "xs": np.float32(0.5),
        "xz": np.uint8(128),
        "w": RNG.integers(-127, 128, (3, 4)).astype(np.int8),
        "ws": scales if len(scales) > 1 else scales[0],
        "wz": np.zeros(len(scales), np.int8) if len(scales) > 1 else np.int8(0),
        "b": bias,
        "ys": np.float32(0.25),
        "yz": np.uint8(3),
    }
    save(
        tmp_path / "m.onnx",
        [
            helper.make_node(
                "QGemm", ["x", "xs", "xz", "w", "ws", "wz", "b", "ys", "yz"], ["y"], "gemm",
                domain="com.microsoft",
            ),
        ],
        [helper.make_tensor_value_info("x", TensorProto.UINT8, [2, 3])],
        [helper.make_tensor_value_info("y", TensorProto.UINT8, [2, 4])],
        [numpy_helper.from_array(np.asarray(v), name) for name, v in constants.items()],
    )  # fmt: skip
    np.testing.assert_array_equal(
        dump(tmp_path / "m.onnx").values("b"), bias.astype(np.float32) * (np.float32(0.5) * scales)
    )


@pytest.mark.parametrize("per_row", [False, True], ids=["per direction", "per row"])
@pytest.mark.parametrize("directions", [1, 2])
def test_recurrent_codes_have_scales_for_each_direction(tmp_path, dump, directions, per_row):
    """[directions, inputs, rows], with scales of [directions] or [directions, rows]."""
    hidden, inputs = 3, 5
    scale_shape = (directions, 4 * hidden) if per_row else (directions,)
    constants, expected = [], {}
    for name, size in (("w", inputs), ("r", hidden)):
        codes = RNG.integers(-127, 128, (directions, size, 4 * hidden)).astype(np.int8)
        scale = (RNG.random(scale_shape) + 0.1).astype(np.float32)
        zero = RNG.integers(-5, 5, scale_shape).astype(np.int8)
        for part, values in ((name, codes), (f"{name}_scale", scale), (f"{name}_zero", zero)):
            constants.append(numpy_helper.from_array(values, part))
        shape = (directions, 1, 4 * hidden) if per_row else (directions, 1, 1)
        expected[name] = (codes.astype(np.float32) - zero.reshape(shape)) * scale.reshape(shape)
    save(
        tmp_path / "m.onnx",
        [
            helper.make_node(
                "DynamicQuantizeLSTM",
                ["x", "w", "r", "", "", "", "", "", "w_scale", "w_zero", "r_scale", "r_zero"],
                ["y"],
                "lstm",
                domain="com.microsoft",
                hidden_size=hidden,
                direction="bidirectional" if directions == 2 else "forward",
            )
        ],
        [f32("x", 7, 1, inputs)],
        [f32("y", 7, directions, 1, hidden)],
        constants,
    )
    ours = dump(tmp_path / "m.onnx")
    for name, values in expected.items():
        np.testing.assert_array_equal(ours.values(name), values)


@pytest.mark.parametrize("scaled", ["at once", "in two steps"])
@pytest.mark.parametrize("with_bias", [False, True])
def test_dynamically_quantized_products_find_the_scale_of_their_weights(
    tmp_path, dump, with_bias, scaled
):
    weights = RNG.integers(-127, 128, (6, 5)).astype(np.int8)
    scales = (RNG.random(5) + 0.1).astype(np.float32)
    # ONNX Runtime's first quantizers added the bias to the integers.
    added = [helper.make_node("Add", ["product", "b"], ["sum"])] if with_bias else []
    save(
        tmp_path / "m.onnx",
        [
            helper.make_node("DynamicQuantizeLinear", ["x"], ["xq", "xs", "xz"]),
            helper.make_node("MatMulInteger", ["xq", "w", "xz", "wz"], ["product"], "mm"),
            *added,
            helper.make_node(
                "Cast", ["sum" if with_bias else "product"], ["cast"], to=TensorProto.FLOAT
            ),
            *(
                [
                    helper.make_node("Mul", ["xs", "ws"], ["factor"]),
                    helper.make_node("Mul", ["cast", "factor"], ["y"]),
                ]
                if scaled == "at once"
                else [
                    helper.make_node("Mul", ["cast", "xs"], ["half"]),
                    helper.make_node("Mul", ["half", "ws"], ["y"]),
                ]
            ),
        ],
        [f32("x", 2, 6)],
        [f32("y", 2, 5)],
        [
            numpy_helper.from_array(weights, "w"),
            numpy_helper.from_array(scales, "ws"),
            numpy_helper.from_array(np.array(0, np.int8), "wz"),
            numpy_helper.from_array(np.arange(5, dtype=np.int32), "b"),
        ],
    )
    ours = dump(tmp_path / "m.onnx")
    np.testing.assert_array_equal(ours.values("w"), weights.astype(np.float32) * scales)
    assert ours.nodes["mm"]["macs"] == 2 * 5 * 6


@pytest.mark.parametrize("lowest, highest", [(-1.5, 2), (0.5, 3), (-3, -0.5), (-1e-3, 1e3)])
def test_weights_that_are_rounded_at_run_time_get_the_scale_they_will_have(
    tmp_path, dump, lowest, highest
):
    weights = RNG.uniform(lowest, highest, (6, 5)).astype(np.float32)
    save(
        tmp_path / "m.onnx",
        [
            helper.make_node("Constant", [], ["w"], value=numpy_helper.from_array(weights)),
            helper.make_node("DynamicQuantizeLinear", ["w"], ["q", "s", "z"]),
            helper.make_node("DequantizeLinear", ["q", "s", "z"], ["real"]),
        ],
        [],
        [f32("real", 6, 5)],
        [],
    )
    ours = dump(tmp_path / "m.onnx")
    np.testing.assert_array_equal(ours.values("q"), dequantized(tmp_path / "m.onnx", "real"))
    np.testing.assert_array_equal(ours.values("w"), weights)


def test_weights_without_a_range_have_no_scale_at_run_time(tmp_path, dump):
    for content in (np.zeros((2, 3)), np.full((2, 3), np.nan), np.full((2, 3), np.inf)):
        save(
            tmp_path / "m.onnx",
            [helper.make_node("DynamicQuantizeLinear", ["w"], ["q", "s", "z"])],
            [],
            [helper.make_tensor_value_info("q", TensorProto.UINT8, [2, 3])],
            [numpy_helper.from_array(content.astype(np.float32), "w")],
        )
        assert dump(tmp_path / "m.onnx").tensors["q"]["quantization"] is None


def test_four_bit_matrix_products_are_shown_as_the_matrix_they_are(tmp_path, dump):
    rows, columns, block = 4, 64, 32
    codes = RNG.integers(0, 16, (rows, columns)).astype(np.uint8)
    scales = (RNG.random((rows, columns // block)) + 0.1).astype(np.float32)
    zeros = RNG.integers(0, 16, (rows, columns // block)).astype(np.uint8)

    def pack(nibbles):
        return nibbles[..., 0::2] | nibbles[..., 1::2] << 4

    save(
        tmp_path / "m.onnx",
        [
            helper.make_node(
                "MatMulNBits",
                ["x", "w", "s", "z"],
                ["y"],
                "mm",
                domain="com.microsoft",
                K=columns,
                N=rows,
                bits=4,
                block_size=block,
            ),
        ],
        [f32("x", 3, columns)],
        [f32("y", 3, rows)],
        [
            numpy_helper.from_array(pack(codes).reshape(rows, columns // block, block // 2), "w"),
            numpy_helper.from_array(scales.flatten(), "s"),
            numpy_helper.from_array(pack(zeros).flatten(), "z"),
        ],
        domains=["com.microsoft"],
    )
    ours = dump(tmp_path / "m.onnx")
    expected = (codes.astype(np.float32) - zeros.repeat(block, 1)) * scales.repeat(block, 1)
    np.testing.assert_array_equal(ours.values("w"), expected.astype(np.float32))
    assert ours.nodes["mm"]["macs"] == 3 * rows * columns


@pytest.mark.parametrize("with_zeros", [False, True], ids=["symmetric", "zero points"])
@pytest.mark.parametrize("kind, axis", [("INT4", 1), ("UINT4", 0), ("UINT8 of 2", 1), ("UINT8 of 4", 1), ("UINT8 of 8", 1)])
def test_tables_of_few_bits_are_read_in_blocks(tmp_path, dump, kind, axis, with_zeros):
    """Returns a GatherBlockQuantized whose last block of each row (or column) is shorter than
    others.
    """
    shape, block = (40, 24), 16
    name, _, bits = kind.partition(" of ")
    bits = int(bits or 4)
    low = -8 if name == "INT4" else 0
    codes = RNG.integers(low, low + 2**bits, shape)
    scale_shape = tuple(-(-size // block) if i == axis else size for i, size in enumerate(shape))
    scales = (RNG.random(scale_shape) + 0.1).astype(np.float32)
    if with_zeros:
        zeros = RNG.integers(low, low + 2**bits, scale_shape)
    else:
        zeros = np.full(scale_shape, 2 ** (bits - 1) if name == "UINT8" else 0)

    def stored(name_, values):
        per_byte = 8 // bits
        if name == "UINT8":  # Each row begins with a new byte.
            values = np.pad(values, ((0, 0), (0, -values.shape[1] % per_byte)))
        flat = (values & 2**bits - 1).reshape(-1, per_byte)
        packed = sum(flat[:, i] << bits * i for i in range(per_byte)).astype(np.uint8)
        dims = values.shape if name != "UINT8" else (len(values), -1)
        if name == "UINT8":
            return numpy_helper.from_array(packed.reshape(dims), name_)
        return helper.make_tensor(name_, TensorProto.DataType.Value(name), dims, packed.tobytes(), raw=True)

    constants = [stored("table", codes), numpy_helper.from_array(scales, "scales")]
    if with_zeros:
        constants.append(stored("zeros", zeros))
    save(
        tmp_path / "m.onnx",
        [
            helper.make_node(
                "GatherBlockQuantized", ["table", "ids", "scales"] + ["zeros"] * with_zeros, ["y"], "embed",
                domain="com.microsoft", block_size=block, quantize_axis=axis, gather_axis=0, bits=bits,
            ),
        ],
        [helper.make_tensor_value_info("ids", TensorProto.INT64, [40])],
        [f32("y", 40, 24)],
        constants,
        domains=["com.microsoft"],
    )  # fmt: skip
    along = np.arange(shape[axis]) // block
    expected = (codes - zeros.take(along, axis)).astype(np.float32) * scales.take(along, axis)
    ours = dump(tmp_path / "m.onnx")
    np.testing.assert_array_equal(ours.values("table"), expected)
    assert ours.tensors["table"]["quantization"]["origin"] == "q_operator"
