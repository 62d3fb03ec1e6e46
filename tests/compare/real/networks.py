"""The networks of the exam: how each becomes a float model with fixed shapes, its samples, and the
end metric that measures how well a quantized copy still works.

    network = NETWORKS["file_types"]
    network.prepare(folder)               # folder/float.onnx
    samples = network.samples(20, seed=1)   # {"input": array}, one sample per batch
    network.agreement(before, after)      # 1 = the same answers, 0 = none

An end metric compares the answers that people use (a label, a text, a set of boxes), never SQNR:
`compare` measures SQNR, and its exam must not be graded with its own ruler.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import numpy as np
import onnx
import onnxruntime
from onnx import version_converter


@dataclass(frozen=True)
class Network:
    name: str
    title: str  # Used in the table of docs/compare-exam.md.
    make: Callable  # Writes the float model to a path.
    samples: Callable  # Returns {input: array} for (count, seed).
    agreement: Callable  # Returns 0..1 for (outputs before, outputs after).
    metric: str  # Number of samples that `agreement` counts.
    is_small: bool = False  # True for networks in `make test`.
    is_held_out: bool = False  # True for networks with which `compare` was not developed.

    def prepare(self, folder: Path) -> Path:
        path = Path(folder) / "float.onnx"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            self.make(path)
        return path


def shorten_names(model):
    """Makes output names unique. Converters from TensorFlow join the names of fused operators with
    semicolons, until names that quantizers derive from them are no longer unique. Keeps the last
    name."""
    kept = {value.name for value in list(model.graph.input) + list(model.graph.output)} | {""}
    names, used = {name: name for name in kept}, set(kept)

    def short(name):
        if name not in names:
            last = name.split(";")[-1].removeprefix("model_1/")
            index, unique = 1, last
            while unique in used:
                index, unique = index + 1, f"{last}_v{index + 1}"
            used.add(unique)
            names[name] = unique
        return names[name]

    # The quantizer appends numbers to shared constants: `bias` and 2 must not give the tensor
    # `bias2`.
    for tensor in model.graph.initializer:
        names[tensor.name] = f"constant_{len(names)}"
        tensor.name = names[tensor.name]
    for node in model.graph.node:
        node.name = node.name.split(";")[-1].removeprefix("model_1/")
        node.input[:] = [short(name) for name in node.input]
        node.output[:] = [short(name) for name in node.output]
    seen = set()
    for index, node in enumerate(model.graph.node):
        if node.name in seen:
            node.name += f"_{index}"
        seen.add(node.name)


def lift_constants(model):
    """Converts Constant nodes to initializers, which quantizers recognize as weights."""
    rest = []
    for node in model.graph.node:
        if node.op_type == "Constant" and node.attribute[0].HasField("t"):
            model.graph.initializer.append(node.attribute[0].t)
            model.graph.initializer[-1].name = node.output[0]
        else:
            rest.append(node)
    del model.graph.node[:]
    model.graph.node.extend(rest)


def freeze(source, target, shapes=None, opset=None, is_optimized=True, has_long_names=False):
    """Writes `source` with fixed input shapes, names for all nodes and, if given, another opset;
    then runs ONNX Runtime's own preparation for quantization (shape inference, folding of
    constants and of batch normalization), unless the products of a transformer must stay
    MatMul."""
    from onnxruntime.quantization.shape_inference import quant_pre_process

    model = onnx.load(str(source))
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in constants]
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    for value in model.graph.input:
        shape = (shapes or {}).get(value.name)
        if shape is None:
            continue
        del value.type.tensor_type.shape.dim[:]
        for size in shape:
            value.type.tensor_type.shape.dim.add().dim_value = size
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    del model.graph.value_info[:]
    if has_long_names:
        shorten_names(model)
    if opset:
        model = version_converter.convert_version(model, opset)
    for index, node in enumerate(model.graph.node):
        node.name = node.name or f"{node.op_type}_{index}"
    if not is_optimized:
        lift_constants(model)
        model = onnx.shape_inference.infer_shapes(model)
    onnx.save(model, str(target))
    if is_optimized:
        quant_pre_process(str(target), str(target), skip_symbolic_shape=True)
        model = onnx.load(str(target))
        for index, node in enumerate(model.graph.node):
            node.name = node.name or f"{node.op_type}_{index}"
        onnx.save(model, str(target))


def sample_rows(session, samples):
    """Yields feeds of one sample each: as many rows of each array as the input's first dimension.
    """
    feeds = []
    rows = {value.name: value.shape[0] if value.shape else 1 for value in session.get_inputs()}
    rows = {name: size if isinstance(size, int) else 1 for name, size in rows.items()}
    count = min(len(samples[name]) // rows[name] for name in rows)
    for i in range(count):
        feeds.append({name: samples[name][i * n : (i + 1) * n] for name, n in rows.items()})
    return feeds


def run(path, samples, is_optimized=False):
    """Returns the outputs of each sample: [[output, …], …]. Without optimizations, operators run
    as in the file, and `compare` runs them in the same way."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    if not is_optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    return [session.run(None, feed) for feed in sample_rows(session, samples)]


# End metrics.


def same_label(index=0, axis=-1):
    """Returns the share of equal arg max."""

    def agreement(before, after):
        pairs = [(a[index].argmax(axis), b[index].argmax(axis)) for a, b in zip(before, after)]
        return float(np.mean([np.mean(a == b) for a, b in pairs]))

    return agreement


def same_decision(threshold=0.5, index=0):
    """Returns the F1 of the values above the threshold: shared values against all values that
    either model reports.
    """

    def agreement(before, after):
        shared = either = 0
        for a, b in zip(before, after):
            a, b = a[index] > threshold, b[index] > threshold
            shared, either = shared + 2 * (a & b).sum(), either + a.sum() + b.sum()
        return float(shared / either) if either else 1.0

    return agreement


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]


def same_text(decode):
    """Returns 1 - character error rate against the float model's text."""

    def agreement(before, after):
        errors = length = 0
        for a, b in zip(before, after):
            a, b = decode(a), decode(b)
            errors, length = errors + min(edit_distance(a, b), len(a)), length + len(a)
        return 1 - errors / max(length, 1)

    return agreement


def ctc_text(blank=0, index=0):
    def decode(outputs):
        best = outputs[index].reshape(-1, outputs[index].shape[-1]).argmax(-1)
        return [int(c) for i, c in enumerate(best) if c != blank and (i == 0 or best[i - 1] != c)]

    return decode


def overlap(a, b):
    """Returns the intersection over union of boxes x0, y0, x1, y1: one against many."""
    width = np.clip(np.minimum(a[2], b[:, 2]) - np.maximum(a[0], b[:, 0]), 0, None)
    height = np.clip(np.minimum(a[3], b[:, 3]) - np.maximum(a[1], b[:, 1]), 0, None)
    shared = width * height
    area = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    return shared / np.maximum((a[2] - a[0]) * (a[3] - a[1]) + area - shared, 1e-9)


def detections(boxes, scores, threshold, max_overlap=0.5):
    """Runs non-maximum suppression by class; returns [(class, box), …]."""
    found = []
    for label in range(scores.shape[1]):
        (kept,) = np.nonzero(scores[:, label] > threshold)
        kept = kept[np.argsort(-scores[kept, label], kind="stable")]
        while len(kept):
            found.append((label, boxes[kept[0]]))
            kept = kept[1:][overlap(boxes[kept[0]], boxes[kept[1:]]) < max_overlap]
    return found


def same_boxes(decode, threshold=0.25):
    """Returns the F1 of the detections: same class and an overlap of half or more."""

    def agreement(before, after):
        shared = total = 0
        for a, b in zip(before, after):
            a, b = (detections(*decode(outputs), threshold) for outputs in (a, b))
            total += len(a) + len(b)
            free = list(b)
            for label, box in a:
                same = [i for i, (other, _) in enumerate(free) if other == label]
                if same:
                    shares = overlap(box, np.array([free[i][1] for i in same]))
                    if shares.max() >= 0.5:
                        del free[same[int(shares.argmax())]]
                        shared += 2
        return shared / total if total else 1.0

    return agreement


def within(tolerance, index=0):
    """Returns the share of values that differ by at most `tolerance`."""

    def agreement(before, after):
        return float(np.mean([np.abs(a[index] - b[index]) <= tolerance
                              for a, b in zip(before, after)]))

    return agreement


def registry():
    import documents
    import newcomers
    import pictures
    import signals
    import strangers
    import trained
    import visitors
    import words

    networks = {}
    for module in (documents, pictures, signals, words, trained, newcomers, strangers, visitors):
        networks.update({network.name: network for network in module.NETWORKS})
    return networks
