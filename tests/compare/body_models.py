"""Networks with layers inside If, Loop and Scan."""

import numpy as np
from onnx import TensorProto, helper
from onnx.helper import make_tensor_value_info as value
from onnxruntime.quantization import QuantType, quantize_dynamic
from recurrent_models import constant, saved

SIZE = 24


def saved_choice(path, nodes, constants):
    """Returns a model of x and the condition of an If."""
    inputs = [floats("x"), value("condition", TensorProto.BOOL, [])]
    return saved(path, nodes, inputs, [floats("y")], constants)


def matrix(seed):
    return np.random.default_rng(seed).normal(size=(SIZE, SIZE)).astype(np.float32)


def body(nodes, outputs, inputs=(), initializers=()):
    return helper.make_graph(nodes, "body", list(inputs), list(outputs), list(initializers))


def floats(name):
    return value(name, TensorProto.FLOAT, [1, SIZE])


def branches(path, then_weight, else_weight, outer=True):
    """x -> MatMul "first" -> If "choose", both of whose branches have a MatMul "product". The then-
    branch uses a weight of the outer graph, the else-branch its own weight, with the same name if
    it is not `outer`."""
    then_name = "outer.weight" if outer else "weight"
    then_branch = body(
        [helper.make_node("MatMul", ["hidden", then_name], ["there"], "product")],
        [floats("there")],
        initializers=[] if outer else [constant("weight", then_weight)],
    )
    else_branch = body(
        [helper.make_node("MatMul", ["hidden", "weight"], ["there_too"], "product")],
        [floats("there_too")],
        initializers=[constant("weight", else_weight)],
    )
    nodes = [
        helper.make_node("MatMul", ["x", "first.weight"], ["hidden"], "first"),
        helper.make_node(
            "If", ["condition"], ["y"], "choose", then_branch=then_branch, else_branch=else_branch
        ),
    ]
    constants = [constant("first.weight", matrix(1))]
    if outer:
        constants.append(constant("outer.weight", then_weight))
    return saved_choice(path, nodes, constants)


# Uses weights of 7 bits, so that the tests have the same result on every processor. Without VNNI,
# kernels add two products of uint8 and int8 in 16 bits, and the sum saturates: undamaged models
# lose about 10 dB. Weights of 7 bits cannot saturate.
def dynamic(fp32, path, **options):
    """Quantizes with ONNX Runtime, which quantizes weights of a body if the body itself contains
    them.
    """
    quantize_dynamic(
        str(fp32), str(path), weight_type=QuantType.QInt8, reduce_range=True,
        extra_options={"EnableSubgraph": True, "DefaultTensorType": TensorProto.FLOAT}, **options,
    )  # fmt: skip
    return path


def dequantizing(nodes, names, codes):
    """Returns `nodes` with a DequantizeLinear for each of these weights before them."""
    return [codes[name].node(name) for name in names] + nodes


def loop_and_scan(path, weights, codes=None):
    """x -> Loop "repeat" -> Scan "walk", with a MatMul "step" in the body of each."""

    codes = codes or {}

    def product(name, nodes, **described):
        is_code = name in codes
        constants = codes[name].constants(name) if is_code else [constant(name, weights[name])]
        nodes = dequantizing(nodes, [name], codes) if is_code else nodes
        return body(nodes, initializers=constants, **described)

    repeat = product(
        "repeat.weight",
        [
            helper.make_node("Identity", ["going"], ["go_on"], "go on"),
            helper.make_node("MatMul", ["state", "repeat.weight"], ["product"], "step"),
            helper.make_node("Tanh", ["product"], ["next"], "bend"),
        ],
        inputs=[
            value("i", TensorProto.INT64, []),
            value("going", TensorProto.BOOL, []),
            floats("state"),
        ],
        outputs=[value("go_on", TensorProto.BOOL, []), floats("next")],
    )
    walk = product(
        "walk.weight",
        [helper.make_node("MatMul", ["row", "walk.weight"], ["out"], "step")],
        inputs=[floats("row")],
        outputs=[floats("out")],
    )
    nodes = [
        helper.make_node("Loop", ["times", "", "x"], ["looped"], "repeat", body=repeat),
        helper.make_node("Unsqueeze", ["looped", "axes"], ["rows"], "rows"),
        helper.make_node("Scan", ["rows"], ["y"], "walk", body=walk, num_scan_inputs=1),
    ]
    constants = [constant("times", np.int64(3)), constant("axes", np.array([0], np.int64))]
    outputs = [value("y", TensorProto.FLOAT, [1, 1, SIZE])]
    return saved(path, nodes, [floats("x")], outputs, constants)


def nested(path, weights, codes, activation=None):
    """An If in a Loop with weights of the branch, of the Loop's body and of the main graph. With an
    `activation`, the scale by which the branch rounds its result."""

    def stored(name):
        return codes[name].constants(name) if name in codes else [constant(name, weights[name])]

    def quantizers(names):
        return [codes[name].node(name) for name in names if name in codes]

    def branch(output, name, *initializers):
        product = helper.make_node("MatMul", ["state", name], [output], "product")
        names = [name] if initializers else []
        return body(
            quantizers(names) + [product], [floats(output)],
            initializers=[t for each in names for t in stored(each)],
        )  # fmt: skip

    rounded = body(
        quantizers(["own"])
        + [helper.make_node("MatMul", ["state", "own"], ["exact"], "product")]
        + (
            [
                helper.make_node("QuantizeLinear", ["exact", "step"], ["codes"], "quantize"),
                helper.make_node("DequantizeLinear", ["codes", "step"], ["there"], "dequantize"),
            ]
            if activation
            else [helper.make_node("Identity", ["exact"], ["there"], "pass")]
        ),
        [floats("there")],
        initializers=stored("own")
        + ([constant("step", np.float32(activation))] if activation else []),
    )
    repeat = body(
        [
            helper.make_node("Identity", ["going"], ["go_on"], "go on"),
            *quantizers(["middle"]),
            helper.make_node(
                "If", ["condition"], ["chosen"], "choose",
                then_branch=rounded, else_branch=branch("there_too", "outer"),
            ),
            helper.make_node("MatMul", ["chosen", "middle"], ["mixed"], "mix"),
            helper.make_node("Tanh", ["mixed"], ["next"], "bend"),
        ],
        [value("go_on", TensorProto.BOOL, []), floats("next")],
        inputs=[
            value("i", TensorProto.INT64, []),
            value("going", TensorProto.BOOL, []),
            floats("state"),
        ],
        initializers=stored("middle"),
    )  # fmt: skip
    loop = helper.make_node("Loop", ["times", "", "x"], ["y"], "repeat", body=repeat)
    constants = [constant("times", np.int64(2)), *stored("outer")]
    return saved_choice(path, [*quantizers(["outer"]), loop], constants)
