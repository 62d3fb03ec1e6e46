"""Weights of four bits in all forms that ONNX stores: values are compared with numpy's, and each
damage must be named.
"""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

K, N, BLOCK = 128, 48, 32
LAYERS = ["first", "second", "third"]  # Sizes for K x N, N x K and K x N weights.


def weights_of(seed=4):
    random = np.random.default_rng(seed)
    shapes = [(K, N), (N, K), (K, N)]
    return {
        name: (random.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)
        for name, shape in zip(LAYERS, shapes)
    }


class Coded:
    """Returns codes of a matrix whose columns are output channels, with a scale and zero point for
    each.
    """

    def __init__(self, weights, block, low=-8, high=7):
        self.block = block or len(weights)
        if len(weights) % self.block:
            self.block = len(weights) // 3
        self.low, self.high = low, high
        blocks = weights.reshape(-1, self.block, weights.shape[1])
        if low < 0:
            self.scale = (np.abs(blocks).max(1) / high).astype(np.float32)
            self.zero = np.zeros(self.scale.shape, int)
        else:
            span = np.maximum(blocks.max(1), 0) - np.minimum(blocks.min(1), 0)
            self.scale = (span / (high - low)).astype(np.float32)
            self.zero = np.round(-np.minimum(blocks.min(1), 0) / self.scale).astype(int)
        self.round(weights, self.scale)

    def round(self, weights, scale):
        self.scale = scale
        steps = np.round(weights / self.of_each(scale)) + self.of_each(self.zero)
        self.codes = np.clip(steps, self.low, self.high).astype(int)

    def of_each(self, figures):
        return np.repeat(figures, self.block, 0)


def chain(nodes, constants, folder, name):
    graph = helper.make_graph(
        nodes, "chain",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, K])],
        [helper.make_tensor_value_info(f"{LAYERS[-1]}.y", TensorProto.FLOAT, [4, N])],
        constants,
    )
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    path = folder / f"{name}.onnx"
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), str(path))
    # It is a channel dimension.
    onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return path


def inputs_of(layer):
    at = LAYERS.index(layer)
    return "x" if at == 0 else f"{LAYERS[at - 1]}.y"


def float_model(weights, folder):
    constants = [numpy_helper.from_array(values, f"{name}.w") for name, values in weights.items()]
    nodes = [
        helper.make_node("MatMul", [inputs_of(name), f"{name}.w"], [f"{name}.y"], name=name)
        for name in LAYERS
    ]
    return chain(nodes, constants, folder, "fp32")


def nibbles(name, kind, values):
    """Packs codes as ONNX does: two per byte, the first one in the low half."""
    flat = np.asarray(values).astype(np.int64).ravel() & 15
    flat = np.pad(flat, (0, len(flat) % 2))
    packed = (flat[::2] | flat[1::2] << 4).astype(np.uint8).tobytes()
    return helper.make_tensor(name, kind, np.asarray(values).shape, packed, raw=True)


def dequantized_model(coded, folder):
    """Returns a DequantizeLinear of int4 or uint4, by channel or in blocks."""
    constants, nodes = [], []
    for name, side in coded.items():
        kind = TensorProto.INT4 if side.low < 0 else TensorProto.UINT4
        is_blocked = len(side.scale) > 1
        shape = (lambda figures: figures) if is_blocked else (lambda figures: figures[0])
        constants += [
            nibbles(f"{name}.q", kind, side.codes),
            numpy_helper.from_array(shape(side.scale), f"{name}.s"),
            nibbles(f"{name}.z", kind, shape(side.zero)),
        ]
        how = {"axis": 0, "block_size": side.block} if is_blocked else {"axis": 1}
        nodes += [
            helper.make_node(
                "DequantizeLinear", [f"{name}.q", f"{name}.s", f"{name}.z"], [f"{name}.w"], **how
            ),
            helper.make_node("MatMul", [inputs_of(name), f"{name}.w"], [f"{name}.y"], name=name),
        ]
    return chain(nodes, constants, folder, "dequantized")


def nbits_model(coded, folder):
    """Returns a MatMulNBits with a row per output channel, in which blocks of codes follow each
    other.
    """
    constants, nodes = [], []
    for name, side in coded.items():
        rows, columns = side.codes.T.shape
        blocks = columns // side.block
        codes = side.codes.T.reshape(rows, blocks, side.block // 2, 2)
        zeros = np.pad(side.zero.T, ((0, 0), (0, blocks % 2))).reshape(rows, -1, 2)
        constants += [
            numpy_helper.from_array((codes[..., 0] | codes[..., 1] << 4).astype(np.uint8), f"{name}.q"),
            numpy_helper.from_array(np.ascontiguousarray(side.scale.T).ravel(), f"{name}.s"),
            numpy_helper.from_array((zeros[..., 0] | zeros[..., 1] << 4).astype(np.uint8).ravel(), f"{name}.z"),
        ]
        nodes.append(
            helper.make_node(
                "MatMulNBits", [inputs_of(name), f"{name}.q", f"{name}.s", f"{name}.z"], [f"{name}.y"],
                name=name, domain="com.microsoft", K=columns, N=rows, bits=4, block_size=side.block,
            )
        )
    return chain(nodes, constants, folder, "nbits")


WAYS = {
    "int4 by channel": (dequantized_model, {"block": None}),
    "uint4 by channel": (dequantized_model, {"block": None, "low": 0, "high": 15}),
    "int4 in blocks": (dequantized_model, {"block": BLOCK}),
    "uint4 in blocks": (dequantized_model, {"block": BLOCK, "low": 0, "high": 15}),
    "MatMulNBits": (nbits_model, {"block": 16, "low": 0, "high": 15}),
}


@pytest.fixture(params=WAYS, ids=lambda way: way.replace(" ", "_"))
def way(request):
    return WAYS[request.param]


def test_figures_in_steps_are_those_numpy_counts(way, compare, tmp_path):
    make, how = way
    weights = weights_of()
    coded = {name: Coded(values, **how) for name, values in weights.items()}
    # Clips some values.
    coded["second"].round(weights["second"], coded["second"].scale * np.float32(0.8))
    report = compare(float_model(weights, tmp_path), make(coded, tmp_path), "--samples", 0)
    assert {layer["name"] for layer in report["layers"]} == set(LAYERS)
    for layer in report["layers"]:
        x, side = weights[layer["name"]].astype(np.float64), coded[layer["name"]]
        scale, zero = side.of_each(side.scale).astype(np.float64), side.of_each(side.zero)
        y = (side.codes - zero) * scale
        ours = layer["weight"]
        assert layer["bits"] == 4
        assert ours["sqnr_db"] == pytest.approx(10 * np.log10((x**2).sum() / ((x - y) ** 2).sum()), abs=1e-5)
        assert ours["rmse_steps"] == pytest.approx(np.sqrt((((x - y) / scale) ** 2).mean()), rel=1e-5)
        beyond = (x > (side.high + 0.5 - zero) * scale) | (x < (side.low - 0.5 - zero) * scale)
        # Values at the border may round to either side.
        assert ours["clip_rate"] == pytest.approx(beyond.mean(), abs=3 / x.size)
        assert ours["used_codes"] == len(np.unique(side.codes))
        nearest = np.clip(np.round(x / scale) + zero, side.low, side.high).astype(int)
        p, q = (np.bincount((s - side.low).ravel(), minlength=16) + 0.5 for s in (nearest, side.codes))
        p, q = p / p.sum(), q / q.sum()
        assert ours["divergence"] == pytest.approx((p * np.log(p / q)).sum(), abs=2e-3)


def wrong_scale(side, weights):
    side.scale = side.scale * np.float32(0.6)


def over_clipped(side, weights):
    side.round(weights, np.full_like(side.scale, weights.std() / 8))


def dead_channel(side, weights):
    side.codes[:, 7] = side.of_each(side.zero)[:, 7]


def permuted_channels(side, weights):
    order = np.random.default_rng(5).permutation(weights.shape[1])
    side.codes, side.scale, side.zero = side.codes[:, order], side.scale[:, order], side.zero[:, order]


@pytest.mark.parametrize("fault", [wrong_scale, over_clipped, dead_channel, permuted_channels], ids=lambda f: f.__name__)
@pytest.mark.parametrize("place", LAYERS)
def test_faults_are_named(fault, place, way, compare, tmp_path):
    make, how = way
    weights = weights_of()
    coded = {name: Coded(values, **how) for name, values in weights.items()}
    before = float_model(weights, tmp_path)
    sound = compare(before, make(coded, tmp_path), "--samples", 0)
    assert {layer["level"] for layer in sound["layers"]} == {"green"}
    fault(coded[place], weights[place])
    worst = compare(before, make(coded, tmp_path), "--samples", 0)["layers"][0]
    assert (worst["name"], worst["level"], worst["cause"]) == (place, "red", fault.__name__)


def test_a_fix_that_is_predicted_gives_what_was_predicted(compare, tmp_path):
    weights = weights_of()
    weights["first"][5, :] *= 40  # One value in each channel.
    before = float_model(weights, tmp_path)
    coded = {name: Coded(values, None) for name, values in weights.items()}
    worst = compare(before, dequantized_model(coded, tmp_path), "--samples", 0)["layers"][0]
    assert (worst["name"], worst["cause"]) == ("first", "outliers")
    fix = worst["fixes"][0]
    assert fix["action"] == f"one scale for each {BLOCK} weights"
    coded["first"] = Coded(weights["first"], BLOCK, low=-7)
    layers = compare(before, dequantized_model(coded, tmp_path), "--samples", 0)["layers"]
    mended = next(layer for layer in layers if layer["name"] == "first")
    assert mended["weight"]["sqnr_db"] == pytest.approx(fix["sqnr_db"], abs=1e-3)
    assert mended["weight"]["worst_channel_sqnr_db"] == pytest.approx(fix["worst_channel_sqnr_db"], abs=1e-3)
