"""Reads OpenVINO IR; the openvino package writes it and is the oracle."""

import numpy as np
import openvino as ov
import pytest
from openvino import opset13 as ops

RNG = np.random.default_rng(17)


def save(path, result, parameters):
    ov.save_model(ov.Model([result], parameters, "net"), path, compress_to_fp16=False)
    return path


def test_a_small_network(tmp_path, dump):
    x = ops.parameter([1, 3, 16, 16], np.float32, name="x")
    filters = RNG.normal(size=(8, 3, 3, 3)).astype(np.float32)
    grouped = RNG.normal(size=(4, 3, 2, 3, 3)).astype(np.float32)
    dense = RNG.normal(size=(10, 12)).astype(np.float32)
    conv = ops.convolution(
        x, ops.constant(filters, name="w1"), [1, 1], [1, 1], [1, 1], [1, 1], name="conv"
    )
    group = ops.group_convolution(
        ops.relu(conv),
        ops.constant(grouped, name="w2"),
        [2, 2],
        [0, 0],
        [0, 0],
        [1, 1],
        name="group",
    )
    mean = ops.reduce_mean(group, ops.constant(np.array([2, 3]), name="axes"), False)
    y = ops.matmul(mean, ops.constant(dense, name="w3"), False, True, name="fc")
    path = save(tmp_path / "m.xml", y, [x])
    ours = dump(path)

    theirs = ov.Core().read_model(path)
    for op in theirs.get_ops():
        if op.get_type_name() == "Constant":
            np.testing.assert_array_equal(ours.values(op.friendly_name), op.data.astype(np.float32))
            continue
        for output in op.outputs() if op.get_type_name() != "Result" else []:
            assert ours.tensors[op.friendly_name]["shape"] == list(output.shape)
            assert ours.tensors[op.friendly_name]["type"] == "float32"
    computed = [
        op
        for op in theirs.get_ordered_ops()
        if op.get_type_name() not in ("Constant", "Parameter", "Result")
    ]
    # IR uses other names than the API for some types: ReLU, Relu.
    assert sorted(map(str.lower, ours.ops)) == sorted(op.get_type_name().lower() for op in computed)
    assert ours.nodes["conv"]["macs"] == 8 * 16 * 16 * 27
    assert ours.nodes["group"]["macs"] == 12 * 7 * 7 * 18
    assert ours.nodes["fc"]["macs"] == 120 and ours.nodes["fc"]["weight_bytes"] == dense.nbytes
    assert ours.listing["inputs"] == ["x"] and ours.listing["outputs"] == ["fc"]


def evaluated(path):
    model = ov.Core().compile_model(path, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return model([])[0]


@pytest.mark.parametrize(
    "kind, low, high", [(np.int8, -127, 128), (np.uint8, 0, 256), ("u4", 0, 16), ("i4", -8, 8)]
)
@pytest.mark.parametrize(
    "shape, scale_shape",
    [((6, 4, 3, 3), (6, 1, 1, 1)), ((6, 4, 8), (6, 4, 1)), ((5, 8), (1, 1))],
    ids=["channels", "groups", "tensor"],
)
@pytest.mark.parametrize("shifted", [False, True])
def test_compressed_weights(tmp_path, dump, kind, low, high, shape, scale_shape, shifted):
    codes = RNG.integers(low, high, shape)
    scales = (RNG.random(scale_shape) + 0.1).astype(np.float32)
    zeros = RNG.integers(max(low, 0), 8, scale_shape)

    def stored(values, name):
        if isinstance(kind, str):
            element = ov.Type.u4 if kind == "u4" else ov.Type.i4
            nibbles = (values.flatten() & 15).astype(np.uint8)
            nibbles = np.append(nibbles, [0] * (nibbles.size % 2)).astype(np.uint8)
            packed = nibbles[0::2] | nibbles[1::2] << 4
            return ops.constant(ov.Tensor(packed, list(values.shape), element), name=name)
        return ops.constant(values.astype(kind), name=name)

    value = ops.convert(stored(codes, "w"), np.float32, name="converted")
    if shifted:
        value = ops.subtract(value, ops.convert(stored(zeros, "z"), np.float32), name="shifted")
    value = ops.multiply(value, ops.constant(scales, name="s"), name="weights")
    path = save(tmp_path / "m.xml", value, [])
    ours = dump(path)
    expected = (codes - (zeros if shifted else 0)).astype(np.float32) * scales
    np.testing.assert_array_equal(ours.values("weights"), expected)
    np.testing.assert_array_equal(ours.values("w"), expected)
    np.testing.assert_allclose(evaluated(path), expected, rtol=1e-6)
    assert ours.tensors["w"]["quantization"]["origin"] == "decompression"
    assert not ours.tensors["converted"]["is_weight"]


def test_fake_quantized_weights_are_read_as_they_will_be_used(tmp_path, dump):
    weights = RNG.normal(size=(6, 50)).astype(np.float32)
    high = np.abs(weights).max(1, keepdims=True).astype(np.float32) * np.float32(0.8)
    low = (-high * np.float32(128 / 127)).astype(np.float32)
    ends = [
        ops.constant(value, name=name)
        for name, value in [("il", low), ("ih", high), ("ol", low), ("oh", high)]
    ]
    value = ops.fake_quantize(ops.constant(weights, name="w"), *ends, 256, name="fq")
    path = save(tmp_path / "m.xml", value, [])
    ours = dump(path)
    np.testing.assert_allclose(ours.values("fq"), evaluated(path), rtol=1e-5, atol=1e-6)
    assert np.abs(ours.values("fq") - weights).max() > 0.1  # Clipped on purpose.
    quantization = ours.tensors["fq"]["quantization"]
    assert quantization["origin"] == "fake_quantize" and quantization["axis"] == 0
    assert quantization["zero_points"] == [128] * 6


def test_weights_must_be_in_the_bin_file(tmp_path, refusal):
    path = save(tmp_path / "m.xml", ops.relu(ops.constant(np.zeros(100, np.float32))), [])
    (tmp_path / "m.bin").write_bytes(bytes(10))
    assert "but the .bin file is smaller: 10" in refusal(path)
    (tmp_path / "m.bin").unlink()
    assert "put the file next to the model" in refusal(path)
