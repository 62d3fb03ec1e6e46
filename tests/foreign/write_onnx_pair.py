"""An ONNX pair with the names and the size of a real detector, before and after static quantization.

    write_onnx_pair.py FOLDER    writes FOLDER/yolo.onnx and FOLDER/yolo_int8.onnx

The layout follows YOLOv8 as Ultralytics exports it (/model.22/cv3.2/cv3.2.1/conv/Conv), with few
channels and random weights, so that it is made and compared in seconds. ONNX Runtime's quantizer
writes the second file, with its own names for scales and Q/DQ nodes. One layer gets an activation
range that is 6 times too small, so that the pair has a damaged layer to find.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

SIZE = 32  # Pixels of the input.
GUILTY = "/model.15/m.0/cv2/act/Mul_output_0"  # The tensor with a range that is too small.


class Network:
    """Nodes and weights of a graph, added from input to output."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self.random = np.random.default_rng(20260101)

    def add(self, op, name, inputs, **attributes):
        output = f"{name}_output_0"
        self.nodes.append(helper.make_node(op, inputs, [output], name=name, **attributes))
        return output

    def conv(self, path, x, channels_in, channels_out, kernel=1, stride=1, activation=True):
        weight = self.random.normal(0, (channels_in * kernel * kernel) ** -0.5, (channels_out, channels_in, kernel, kernel))
        weight[0] *= 3  # Channels differ, as in trained networks.
        names = [f"{path.removeprefix('/').replace('/', '.')}.conv.{part}" for part in ("weight", "bias")]
        self.weights.append(numpy_helper.from_array(weight.astype(np.float32), names[0]))
        self.weights.append(numpy_helper.from_array(self.random.normal(0, 0.1, channels_out).astype(np.float32), names[1]))
        y = self.add("Conv", f"{path}/conv/Conv", [x, *names], kernel_shape=[kernel, kernel], strides=[stride, stride], pads=[kernel // 2] * 4)
        if not activation:
            return y
        return self.add("Mul", f"{path}/act/Mul", [y, self.add("Sigmoid", f"{path}/act/Sigmoid", [y])])

    def block(self, path, x, channels, repeats):
        """Adds a C2f block: split, `repeats` bottlenecks, concatenation."""
        x = self.conv(f"{path}/cv1", x, channels, channels)
        parts = [x]
        for i in range(repeats):
            y = self.conv(f"{path}/m.{i}/cv1", parts[-1], channels, channels, 3)
            y = self.conv(f"{path}/m.{i}/cv2", y, channels, channels, 3)
            parts.append(self.add("Add", f"{path}/m.{i}/Add", [parts[-1], y]))
        joined = self.add("Concat", f"{path}/Concat", parts, axis=1)
        return self.conv(f"{path}/cv2", joined, channels * len(parts), channels)


def network():
    net, channels = Network(), 8
    x = net.conv("/model.0", "images", 3, channels, 3, 2)
    for stage, repeats in zip((1, 3, 5, 7), (3, 6, 6, 3)):
        x = net.conv(f"/model.{stage}", x, channels, channels, 3, 2 if stage < 5 else 1)
        x = net.block(f"/model.{stage + 1}", x, channels, repeats)
    for stage in (12, 15, 18, 21):
        x = net.block(f"/model.{stage}", x, channels, 3)
    outputs = []
    for head in range(3):
        for kind, last in (("cv2", 16), ("cv3", 18)):
            y = net.conv(f"/model.22/{kind}.{head}/{kind}.{head}.0", x, channels, channels, 3)
            y = net.conv(f"/model.22/{kind}.{head}/{kind}.{head}.1", y, channels, channels, 3)
            outputs.append(net.conv(f"/model.22/{kind}.{head}/{kind}.{head}.2", y, channels, last, 1, activation=False))
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        net.nodes, "main_graph", [value("images", TensorProto.FLOAT, [1, 3, SIZE, SIZE])],
        [value(name, TensorProto.FLOAT, None) for name in outputs], net.weights)  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    return onnx.shape_inference.infer_shapes(model)


class Samples(CalibrationDataReader):
    def __init__(self, count):
        random = np.random.default_rng(7)
        self.left = [{"images": random.normal(0, 1, (1, 3, SIZE, SIZE)).astype(np.float32)} for _ in range(count)]

    def get_next(self):
        return self.left.pop() if self.left else None


def damage(path):
    """Makes the activation range of one tensor 6 times too small."""
    model = onnx.load(path)
    scale = next(w for w in model.graph.initializer if w.name == f"{GUILTY}_scale")
    scale.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(scale) / np.float32(6), scale.name))
    onnx.save(model, path)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    plain, compressed = folder / "yolo.onnx", folder / "yolo_int8.onnx"
    onnx.save(network(), plain)
    quantize_static(plain, compressed, Samples(4), quant_format=QuantFormat.QDQ, per_channel=True,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)  # fmt: skip
    damage(compressed)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
