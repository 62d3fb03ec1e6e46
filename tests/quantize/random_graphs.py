"""Creates random float networks: convolutions, pools, residuals, concatenations, branches and
heads.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Builder:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants = [], []
        self.count = 0

    def constant(self, values):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def node(self, op_type, inputs, outputs=1, **attributes):
        self.count += 1
        names = [f"t{self.count}_{i}" for i in range(outputs)]
        self.nodes.append(
            helper.make_node(op_type, inputs, names, name=f"{op_type}_{self.count}", **attributes)
        )
        return names[0] if outputs == 1 else names

    def weights(self, *shape):
        fan_in = max(1, int(np.prod(shape[1:])))
        values = self.random.normal(size=shape) / np.sqrt(fan_in)
        if self.random.random() < 0.2:  # Channels have very different sizes.
            values *= 10 ** self.random.uniform(-2, 2, size=(shape[0],) + (1,) * (len(shape) - 1))
        return self.constant(values.astype(np.float32))

    def conv(self, x, channels, size, to, kernel):
        grouped = channels == to and self.random.random() < 0.3
        inputs = [x, self.weights(to, 1 if grouped else channels, kernel, kernel)]
        if self.random.random() < 0.7:
            inputs.append(self.constant(self.random.normal(size=to).astype(np.float32)))
        y = self.node(
            "Conv", inputs, pads=[kernel // 2] * 4, group=channels if grouped else 1
        )  # fmt: skip
        if self.random.random() < 0.4:
            stats = [self.constant(self.random.uniform(0.5, 2, to).astype(np.float32)) for _ in range(4)]
            y = self.node("BatchNormalization", [y, *stats])
        return y, to, size

    def activation(self, x):
        kind = self.random.integers(7)
        if kind == 0:
            return self.node("Relu", [x])
        if kind == 1:
            limits = [self.constant(np.float32(0)), self.constant(np.float32(6))]
            return self.node("Clip", [x, *limits])
        if kind == 2:
            return self.node("LeakyRelu", [x], alpha=0.1)
        if kind == 3:
            return self.node("Mul", [x, self.node("Sigmoid", [x])])
        if kind == 4:
            return self.node("HardSigmoid", [x])
        if kind == 5:
            return self.node("Mul", [x, self.constant(np.float32(0.5))])
        return x

    def block(self, x, channels, size):
        kind = self.random.integers(8)
        if kind <= 2:
            x, channels, size = self.conv(
                x, channels, size, int(self.random.integers(1, 9)), int(self.random.choice([1, 3]))
            )
            return self.activation(x), channels, size
        if kind == 3:  # A residual.
            y, _, _ = self.conv(x, channels, size, channels, 3)
            return self.activation(self.node("Add", [x, self.activation(y)])), channels, size
        if kind == 4:  # Two branches of different ranges.
            a, n, _ = self.conv(x, channels, size, 4, 1)
            b, m, _ = self.conv(x, channels, size, 3, 3)
            b = self.node("Mul", [b, self.constant(np.float32(50))])
            return self.node("Concat", [self.activation(a), b], axis=1), n + m, size
        if kind == 5 and size >= 4:
            pool = str(self.random.choice(["MaxPool", "AveragePool"]))
            y = self.node(pool, [x], kernel_shape=[2, 2], strides=[2, 2])
            return y, channels, size // 2
        if kind == 6 and channels >= 2:
            half = channels // 2
            sizes = self.constant(np.array([half, channels - half], np.int64))
            a, b = self.node("Split", [x, sizes], outputs=2, axis=1)
            return self.node("Concat", [self.activation(b), a], axis=1), channels, size
        if kind == 7 and size <= 8:
            scales = self.constant(np.array([1, 1, 2, 2], np.float32))
            return self.node("Resize", [x, "", scales], mode="nearest",
                             coordinate_transformation_mode="asymmetric", nearest_mode="floor"), channels, size * 2  # fmt: skip
        return self.activation(x), channels, size

    def head(self, x, channels, size):
        kind = self.random.integers(4)
        if kind == 0:  # Boxes and scores.
            boxes, _, _ = self.conv(x, channels, size, 4, 1)
            scores, _, _ = self.conv(x, channels, size, 2, 1)
            boxes = self.node("Mul", [boxes, self.constant(np.float32(320))])
            return self.node("Concat", [boxes, self.node("Sigmoid", [scores])], axis=1)
        if kind == 1:
            return self.conv(x, channels, size, 3, 1)[0]
        x = self.node("Flatten", [self.node("GlobalAveragePool", [x])])
        outputs = int(self.random.integers(1, 8))
        if kind == 2:
            x = self.node("Gemm", [x, self.weights(outputs, channels)], transB=1)
        else:
            x = self.node("MatMul", [x, self.weights(channels, outputs)])
            x = self.node("Add", [x, self.constant(self.random.normal(size=outputs).astype(np.float32))])
        return self.node("Softmax", [x], axis=-1) if self.random.random() < 0.5 else x


def make(seed, path):
    """Writes the network of this seed. Returns samples for it."""
    builder = Builder(seed)
    channels, size = int(builder.random.integers(1, 5)), int(builder.random.choice([4, 6, 8]))
    shape = (12, channels, size, size)
    samples = (builder.random.normal(size=shape) * 10 ** builder.random.uniform(-1, 1)).astype(np.float32)
    x = "x"
    first_channels, first_size = channels, size
    for _ in range(int(builder.random.integers(1, 7))):
        x, channels, size = builder.block(x, channels, size)
    heads = [builder.head(x, channels, size) for _ in range(int(builder.random.integers(1, 3)))]
    graph = helper.make_graph(
        builder.nodes, "random",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", first_channels, first_size, first_size])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in heads],
        builder.constants,
    )  # fmt: skip
    opset = int(builder.random.choice([13, 17, 21]))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    onnx.save(onnx.shape_inference.infer_shapes(model), str(path))
    return samples
