"""Networks that were equalized before quantization: CLE, SmoothQuant, AWQ. Factors by which one
layer is multiplied and the next one divided are not damage; factors that no layer undoes are."""

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

SAMPLES = 32


class Network:
    """Returns nodes and weights by name, quantized by ONNX Runtime's own tools."""

    def __init__(self, shape, seed=0):
        self.random = np.random.default_rng(seed)
        self.shape = shape
        self.nodes, self.weights = [], {}
        self.samples = self.random.standard_normal((SAMPLES, *shape[1:])).astype(np.float32)

    def add(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))

    def weight(self, name, *shape, spread=0.0):
        """Returns weights whose sizes differ strongly between outputs, if `spread` is not 0."""
        values = self.random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        if spread:
            axis = 1 if len(shape) == 2 else 0
            sizes = np.exp(spread * self.random.standard_normal(shape[axis]))
            values *= sizes if axis == 1 else sizes.reshape(-1, *[1] * (len(shape) - 1))
        self.weights[name] = values.astype(np.float32)

    def copy(self):
        other = Network(self.shape)
        other.nodes, other.samples = list(self.nodes), self.samples
        other.weights = {name: values.copy() for name, values in self.weights.items()}
        return other

    def save(self, path):
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
            [helper.make_tensor_value_info(self.nodes[-1].output[0], TensorProto.FLOAT, None)],
            [numpy_helper.from_array(values, name) for name, values in self.weights.items()],
        )
        opsets = [helper.make_opsetid("", 17)]
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
        return path

    def run(self, path):
        session = onnxruntime.InferenceSession(path)
        return np.stack([session.run(None, {"x": x[None]})[0] for x in self.samples])

    def quantize(self, folder, name):
        class Samples(CalibrationDataReader):
            left = iter([{"x": x[None]} for x in self.samples])

            def get_next(self):
                return next(self.left, None)

        path = folder / f"{name}_int8.onnx"
        quantize_static(
            self.save(folder / f"{name}.onnx"),
            path,
            Samples(),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            weight_type=QuantType.QInt8,
            activation_type=QuantType.QUInt8,
        )
        return path


def convolutions():
    net = Network([1, 3, 16, 16])
    net.weight("w0", 16, 3, 3, 3, spread=1)
    net.weight("w1", 16, 1, 3, 3, spread=1)
    net.weight("w2", 32, 16, 1, 1, spread=1)
    net.weight("w3", 32 * 8 * 8, 10)
    for i, channels in enumerate((16, 16, 32, 10)):
        net.weights[f"b{i}"] = net.random.standard_normal(channels).astype(np.float32) / 10
    net.add("Conv", ["x", "w0", "b0"], "conv", pads=[1] * 4)
    net.add("Relu", ["conv"], "relu0")
    net.add("Conv", ["relu0", "w1", "b1"], "depthwise", pads=[1] * 4, group=16)
    net.add("Relu", ["depthwise"], "relu1")
    net.add("Conv", ["relu1", "w2", "b2"], "pointwise")
    net.add("Relu", ["pointwise"], "relu2")
    net.add("MaxPool", ["relu2"], "pool", kernel_shape=[2, 2], strides=[2, 2])
    net.add("Flatten", ["pool"], "flat")
    net.add("Gemm", ["flat", "w3", "b3"], "dense")
    return net


def ranges(values, axis):
    return np.abs(values).max(axis=tuple(i for i in range(values.ndim) if i != axis))


def equalize_convolutions(net):
    """Makes the ranges of a channel's producer and consumer equal, as CLE does."""
    w = net.weights
    columns = ranges(w["w1"], 0)  # A channel of the depthwise convolution has one input.
    s = np.sqrt(columns / ranges(w["w0"], 0)).astype(np.float32)
    w["w0"] *= s[:, None, None, None]
    w["b0"] *= s
    w["w1"] /= s[:, None, None, None]
    s = np.sqrt(ranges(w["w2"], 1) / ranges(w["w1"], 0)).astype(np.float32)
    w["w1"] *= s[:, None, None, None]
    w["b1"] *= s
    w["w2"] /= s[None, :, None, None]
    dense = w["w3"].reshape(32, 64, 10)
    s = np.sqrt(ranges(dense, 0) / ranges(w["w2"], 0)).astype(np.float32)
    w["w2"] *= s[:, None, None, None]
    w["b2"] *= s
    w["w3"] = (dense / s[:, None, None]).reshape(-1, 10)


def attention():
    net = Network([1, 8, 32], seed=1)
    width, heads = 32, 4
    for name in ("q", "k", "v", "o"):
        net.weight(f"w{name}", width, width)
    net.weight("wup", width, 64, spread=1)
    net.weight("wgate", width, 64)
    net.weight("wdown", 64, width)
    for name in ("1", "2"):
        net.weights[f"gamma{name}"] = np.exp(net.random.standard_normal(width)).astype(np.float32)
        net.weights[f"beta{name}"] = net.random.standard_normal(width).astype(np.float32) / 10
    net.weights["split"] = np.int64([1, 8, heads, width // heads])
    net.weights["joined"] = np.int64([1, 8, width])
    net.weights["root"] = np.float32(width // heads) ** -0.5
    net.add("LayerNormalization", ["x", "gamma1", "beta1"], "norm1")
    for name in ("q", "k", "v"):
        net.add("MatMul", ["norm1", f"w{name}"], name)
        net.add("Reshape", [name, "split"], f"{name}_split")
        perm = [0, 2, 3, 1] if name == "k" else [0, 2, 1, 3]
        net.add("Transpose", [f"{name}_split"], f"{name}_heads", perm=perm)
    net.add("MatMul", ["q_heads", "k_heads"], "products")
    net.add("Mul", ["products", "root"], "scores")
    net.add("Softmax", ["scores"], "shares", axis=-1)
    net.add("MatMul", ["shares", "v_heads"], "mixed")
    net.add("Transpose", ["mixed"], "mixed_back", perm=[0, 2, 1, 3])
    net.add("Reshape", ["mixed_back", "joined"], "together")
    net.add("MatMul", ["together", "wo"], "o")
    net.add("Add", ["x", "o"], "sum1")
    net.add("LayerNormalization", ["sum1", "gamma2", "beta2"], "norm2")
    net.add("MatMul", ["norm2", "wup"], "up")
    net.add("MatMul", ["norm2", "wgate"], "gate")
    net.add("Sigmoid", ["gate"], "open")
    net.add("Mul", ["up", "open"], "gated")
    net.add("MatMul", ["gated", "wdown"], "down")
    net.add("Add", ["sum1", "down"], "y")
    return net


def smooth_attention(net):
    """Moves scales of the normalizations into the following layers, as SmoothQuant does, and
    factors from values to outputs and from up to down, as AWQ does."""
    w = net.weights
    for norm, takers in (("1", "qkv"), ("2", ("up", "gate"))):
        s = np.sqrt(np.abs(w[f"gamma{norm}"]))
        w[f"gamma{norm}"] /= s
        w[f"beta{norm}"] /= s
        for name in takers:
            w[f"w{name}"] *= s[:, None]
    for first, second in (("wv", "wo"), ("wup", "wdown")):
        s = np.sqrt(ranges(w[second], 0) / ranges(w[first], 1)).astype(np.float32)
        w[first] *= s
        w[second] /= s[:, None]


def insert_factors(net):
    """A separate node divides the inputs of the layers after the first normalization."""
    s = np.exp(np.random.default_rng(5).standard_normal(32) / 2).astype(np.float32)
    net.weights["smooth"] = 1 / s
    position = next(i for i, node in enumerate(net.nodes) if node.name == "q")
    net.nodes.insert(
        position, helper.make_node("Mul", ["norm1", "smooth"], ["smoothed"], name="smoothed")
    )
    for i, node in enumerate(net.nodes):
        if node.name in ("q", "k", "v"):
            net.nodes[i] = helper.make_node("MatMul", ["smoothed", node.input[1]], node.output, name=node.name)
            net.weights[node.input[1]] *= s[:, None]


CASES = {
    "cross-layer": (convolutions, equalize_convolutions, {"conv", "depthwise", "pointwise", "dense"}),
    "smooth": (attention, smooth_attention, {"q", "k", "v", "o", "up", "gate", "down"}),
    "inserted": (attention, insert_factors, {"q", "k", "v"}),
}


@pytest.fixture(scope="module", params=CASES)
def case(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    make, equalize, names = CASES[request.param]
    net = make()
    other = net.copy()
    equalize(other)
    path, equalized = net.save(folder / "float.onnx"), other.save(folder / "equalized.onnx")
    np.testing.assert_allclose(net.run(path), other.run(equalized), rtol=1e-3, atol=1e-4)
    np.savez(folder / "x.npz", x=net.samples)
    return folder, path, equalized, other, names


@pytest.mark.parametrize("flags", [["--samples", "0"], ["--data"]])
def test_equalized_layers_have_the_levels_of_the_equalized_network(compare, case, flags):
    folder, path, equalized, other, names = case
    int8 = other.quantize(folder, "quantized")
    flags = [*flags, folder / "x.npz"] if flags == ["--data"] else flags
    found = {layer["name"]: layer for layer in compare(path, int8, *flags)["layers"]}
    truth = {layer["name"]: layer for layer in compare(equalized, int8, *flags)["layers"]}
    assert names <= found.keys()
    for name, layer in found.items():
        assert layer["level"] == truth[name]["level"], layer["explanation"]
        for part in ("weight", "accumulated"):
            # Gates and heads mix multiplied values with others.
            if layer[part] is None or layer["op_type"] in ("Mul", "Transpose", "Reshape", "MatMul"):
                continue
            expected = truth[name][part]["sqnr_db"]
            assert layer[part]["sqnr_db"] == pytest.approx(expected, abs=0.5), name
        if layer["weight"] is None:
            continue
        assert layer["is_rescaled"] == (name in names), name
        assert layer["weight"]["worst_channel_sqnr_db"] == pytest.approx(
            truth[name]["weight"]["worst_channel_sqnr_db"], abs=1
        )


def test_damage_in_an_equalized_network_is_found(compare, case):
    folder, path, _, other, names = case
    for name in sorted(names):
        broken = onnx.load(other.quantize(folder, "broken"))
        weight = next(node.input[1] for node in other.nodes if node.name == name)
        scale = next(each for each in broken.graph.initializer if each.name == weight + "_scale")
        values = numpy_helper.to_array(scale).copy()
        values *= np.where(np.arange(values.size) % 2 == 0, 3, 1).astype(np.float32)
        scale.CopyFrom(numpy_helper.from_array(values, scale.name))
        onnx.save(broken, folder / "broken.onnx")
        first = compare(path, folder / "broken.onnx", "--data", folder / "x.npz")["layers"][0]
        assert first["level"] == "red"
        # The weights alone do not show which of two layers has a factor that the other does not
        # undo.
        assert first["name"] in names, name


def test_what_nobody_undoes_is_damage(compare, case, tmp_path):
    folder, path, _, other, names = case
    net = other.copy()
    # One of the layers that should undo factors is unchanged.
    left, original = ("w3", convolutions()) if "conv" in names else ("wq", attention())
    net.weights[left] = original.weights[left]
    int8 = net.quantize(tmp_path, "half")
    layers = {x["name"]: x for x in compare(path, int8, "--data", folder / "x.npz")["layers"]}
    if "conv" in names:  # Its weights are right, but its input is not.
        assert layers["pointwise"]["level"] == "red"
        assert layers["pointwise"]["cause"] == "wrong_scale"
        assert not layers["dense"]["is_rescaled"]
    else:  # The others undo the division in the normalization.
        assert not layers["q"]["is_rescaled"]
        assert layers["q"]["accumulated"]["sqnr_db"] < 20
        assert layers["k"]["is_rescaled"] and layers["v"]["is_rescaled"]
