"""Reads TensorFlow graphs and SavedModels, written with TensorBoard's copies of TensorFlow's
messages.
"""

import struct

import numpy as np
import pytest
from tensorboard.compat.proto import (
    attr_value_pb2,
    graph_pb2,
    meta_graph_pb2,
    tensor_pb2,
    types_pb2,
)
from tensorboard.compat.proto import trackable_object_graph_pb2

RNG = np.random.default_rng(11)
TYPES = {
    np.float32: types_pb2.DT_FLOAT,
    np.float64: types_pb2.DT_DOUBLE,
    np.float16: types_pb2.DT_HALF,
    np.int8: types_pb2.DT_INT8,
    np.uint8: types_pb2.DT_UINT8,
    np.int16: types_pb2.DT_INT16,
    np.int32: types_pb2.DT_INT32,
    np.int64: types_pb2.DT_INT64,
    np.bool_: types_pb2.DT_BOOL,
    np.uint32: types_pb2.DT_UINT32,
    np.uint64: types_pb2.DT_UINT64,
}
LISTS = {
    np.float32: "float_val",
    np.float64: "double_val",
    np.float16: "half_val",
    np.int8: "int_val",
    np.uint8: "int_val",
    np.int16: "int_val",
    np.int32: "int_val",
    np.int64: "int64_val",
    np.bool_: "bool_val",
    np.uint32: "uint32_val",
    np.uint64: "uint64_val",
}


def tensor(array, as_list=False, dtype=None):
    proto = tensor_pb2.TensorProto(dtype=dtype or TYPES[array.dtype.type])
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    if as_list:
        values = array.view(np.uint16) if array.dtype == np.float16 else array
        getattr(proto, LISTS[array.dtype.type]).extend(values.flatten().tolist())
    else:
        proto.tensor_content = array.tobytes()
    return proto


def add(graph, name, op, *inputs, **attributes):
    node = graph.node.add(name=name, op=op, input=inputs)
    for key, value in attributes.items():
        target = node.attr[key]
        if isinstance(value, tensor_pb2.TensorProto):
            target.tensor.CopyFrom(value)
        elif isinstance(value, list):
            target.list.i.extend(value)
        elif isinstance(value, bool):
            target.b = value
        elif isinstance(value, int):
            target.i = value
        elif isinstance(value, str):
            target.s = value.encode()
        else:
            target.CopyFrom(value)
    return node


def const(graph, name, array, **options):
    add(graph, name, "Const", value=tensor(array, **options))


def placeholder(graph, name, *shape):
    node = add(graph, name, "Placeholder", dtype=attr_value_pb2.AttrValue(type=types_pb2.DT_FLOAT))
    for size in shape:
        node.attr["shape"].shape.dim.add(size=size)


def save(graph, path):
    path.write_bytes(graph.SerializeToString())
    return path


def test_a_small_network(tmp_path, dump):
    graph = graph_pb2.GraphDef()
    filters = RNG.normal(size=(3, 3, 3, 8)).astype(np.float32)
    depthwise = RNG.normal(size=(3, 3, 8, 2)).astype(np.float32)
    weights = RNG.normal(size=(8 * 8 * 16, 10)).astype(np.float32)
    placeholder(graph, "x", -1, 16, 16, 3)
    const(graph, "conv/filter", filters)
    add(graph, "conv/filter/read", "Identity", "conv/filter")
    add(
        graph,
        "conv/Conv2D",
        "Conv2D",
        "x",
        "conv/filter/read",
        strides=[1, 1, 1, 1],
        padding="SAME",
    )
    add(graph, "conv/Relu", "Relu", "conv/Conv2D")
    const(graph, "dw/filter", depthwise)
    add(
        graph,
        "dw/Conv",
        "DepthwiseConv2dNative",
        "conv/Relu",
        "dw/filter",
        strides=[1, 2, 2, 1],
        padding="SAME",
    )
    const(graph, "shape", np.array([-1, 8 * 8 * 16], np.int32))
    add(graph, "flat", "Reshape", "dw/Conv", "shape")
    const(graph, "fc/w", weights)
    add(graph, "fc/MatMul", "MatMul", "flat", "fc/w", "^conv/Relu")
    ours = dump(save(graph, tmp_path / "frozen.pb"))

    assert ours.listing["format"] == "tensorflow_graph"
    assert ours.listing["inputs"] == ["x"] and ours.listing["outputs"] == ["fc/MatMul"]
    assert ours.nodes["fc/MatMul"]["inputs"] == ["flat", "fc/w"]
    assert ours.nodes["conv/Conv2D"]["scope"] == "conv"
    np.testing.assert_array_equal(ours.values("conv/filter/read"), filters)
    np.testing.assert_array_equal(ours.values("fc/w"), weights)
    assert ours.nodes["conv/Conv2D"]["macs"] == 16 * 16 * 8 * 27
    assert ours.nodes["dw/Conv"]["macs"] == 8 * 8 * 16 * 9
    assert ours.nodes["fc/MatMul"]["macs"] == 1024 * 10
    assert ours.tensors["dw/Conv"]["shape"] == [-1, 8, 8, 16]
    assert ours.nodes["conv/Conv2D"]["weight_bytes"] == filters.nbytes


@pytest.mark.parametrize("as_list", [False, True], ids=["content", "list"])
@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: np.dtype(kind).name)
def test_every_element_type(tmp_path, dump, kind, as_list):
    array = (RNG.random((3, 5)) * 100).astype(kind)
    graph = graph_pb2.GraphDef()
    const(graph, "w", array, as_list=as_list)
    add(graph, "y", "Identity", "w")
    ours = dump(save(graph, tmp_path / "g.pb"))
    assert ours.tensors["w"]["type"] == np.dtype(kind).name
    np.testing.assert_array_equal(ours.values("w"), array.astype(np.float32))


def test_short_lists_repeat_their_last_value(tmp_path, dump):
    graph = graph_pb2.GraphDef()
    short = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT, float_val=[1.0, 2.0, 3.0])
    short.tensor_shape.dim.add(size=2), short.tensor_shape.dim.add(size=4)
    empty = tensor_pb2.TensorProto(dtype=types_pb2.DT_FLOAT)
    empty.tensor_shape.dim.add(size=1500)
    add(graph, "short", "Const", value=short)
    add(graph, "zeros", "Const", value=empty)
    ours = dump(save(graph, tmp_path / "g.pb"))
    assert ours.values("short").tolist() == [[1, 2, 3, 3], [3, 3, 3, 3]]
    assert ours.tensors["short"]["bytes"] == 12
    np.testing.assert_array_equal(ours.values("zeros"), np.zeros(1500))


def fake_quantized(x, low, high, bits, narrow):
    """The arithmetic that TensorFlow documents for FakeQuantWithMinMaxVars."""
    first, last = (1 if narrow else 0), 2**bits - 1
    scale = np.float32(np.float32(high - low) / np.float32(last - first))
    zero = np.clip(np.round(first - low / scale), first, last)
    codes = np.clip(np.round(x / scale) + zero, first, last)
    return ((codes - zero) * scale).astype(np.float32)


@pytest.mark.parametrize("bits, narrow", [(8, False), (8, True), (4, False)])
def test_fake_quantization_of_weights(tmp_path, dump, bits, narrow):
    weights = RNG.normal(size=(40, 3)).astype(np.float32)
    graph = graph_pb2.GraphDef()
    const(graph, "w", weights)
    const(graph, "min", np.array([-1.0, -0.5, 0.0], np.float32))
    const(graph, "max", np.array([1.5, 0.25, 2.0], np.float32))
    add(
        graph,
        "fq",
        "FakeQuantWithMinMaxVarsPerChannel",
        "w",
        "min",
        "max",
        num_bits=bits,
        narrow_range=narrow,
    )
    ours = dump(save(graph, tmp_path / "g.pb"))
    expected = np.stack(
        [
            fake_quantized(weights[:, i], np.float32(low), np.float32(high), bits, narrow)
            for i, (low, high) in enumerate([(-1.0, 1.5), (-0.5, 0.25), (0.0, 2.0)])
        ],
        1,
    )
    np.testing.assert_allclose(ours.values("fq"), expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_array_equal(ours.values("w"), weights)
    assert ours.tensors["fq"]["quantization"]["origin"] == "fake_quantize"


def test_integer_kernels_give_their_weights_a_scale(tmp_path, dump):
    codes = RNG.integers(-127, 128, (3, 3, 2, 4)).astype(np.int8)
    limits = (RNG.random(4) + 0.5).astype(np.float32)
    graph = graph_pb2.GraphDef()
    placeholder(graph, "x", 1, 8, 8, 2)
    const(graph, "w_qint8_const", codes, dtype=types_pb2.DT_QINT8)
    const(graph, "bias", np.zeros(4, np.float32))
    for name, value in [("min_x", 0.0), ("max_x", 6.0)]:
        const(graph, name, np.array(value, np.float32))
    const(graph, "w_min", -limits)
    const(graph, "w_max", limits)
    add(
        graph,
        "conv_eightbit_requantize",
        "QuantizedConv2DWithBiasAndReluAndRequantize",
        "x",
        "w_qint8_const",
        "bias",
        "min_x",
        "max_x",
        "w_min",
        "w_max",
        "min_x",
        "max_x",
        strides=[1, 1, 1, 1],
        padding="VALID",
    )
    ours = dump(save(graph, tmp_path / "g.pb"))
    expected = codes.astype(np.float32) * (limits / np.float32(127))
    np.testing.assert_array_equal(ours.values("w_qint8_const"), expected)
    assert ours.nodes["conv_eightbit_requantize"]["macs"] == 6 * 6 * 4 * 18


def test_loops_of_version_one_are_no_cycles(tmp_path, dump, refusal):
    graph = graph_pb2.GraphDef()
    placeholder(graph, "x")
    add(graph, "enter", "Enter", "x")
    add(graph, "merge", "Merge", "enter", "next")
    add(graph, "body", "Relu", "merge")
    add(graph, "next", "NextIteration", "body")
    assert dump(save(graph, tmp_path / "loop.pb")).ops == [
        "Placeholder",
        "Enter",
        "Merge",
        "Relu",
        "NextIteration",
    ]
    graph.node[-1].op = "Identity"
    assert "cycle" in refusal(save(graph, tmp_path / "cycle.pb"))


def test_functions_are_unfolded_where_they_are_called(tmp_path, dump, refusal):
    graph = graph_pb2.GraphDef()
    function = graph.library.function.add()
    function.signature.name = "dense"
    function.signature.input_arg.add(name="a", type=types_pb2.DT_FLOAT)
    function.signature.input_arg.add(name="b", type=types_pb2.DT_FLOAT)
    function.signature.output_arg.add(name="out", type=types_pb2.DT_FLOAT)
    function.signature.output_arg.add(name="same", type=types_pb2.DT_FLOAT)
    function.node_def.add(name="dense/MatMul", op="MatMul", input=["a", "b"])
    function.node_def.add(name="dense/Relu", op="Relu", input=["dense/MatMul:product:0"])
    function.ret["out"] = "dense/Relu:activations:0"
    function.ret["same"] = "a"
    placeholder(graph, "x", 2, 4)
    const(graph, "w", np.eye(4, dtype=np.float32))
    call = attr_value_pb2.AttrValue()
    call.func.name = "dense"
    add(graph, "StatefulPartitionedCall", "StatefulPartitionedCall", "x", "w", f=call)
    add(graph, "block", "PartitionedCall", "StatefulPartitionedCall", "w", f=call)
    add(graph, "sum", "AddV2", "block", "block:1")
    ours = dump(save(graph, tmp_path / "g.pb"))
    assert [n for n in ours.nodes if "MatMul" in n] == ["dense/MatMul", "block/dense/MatMul"]
    assert ours.nodes["dense/MatMul"]["macs"] == 2 * 4 * 4
    assert ours.nodes["block/dense/MatMul"]["inputs"][0] == ours.nodes["dense/Relu"]["outputs"][0]
    (passed,) = [node for node in ours.listing["nodes"] if node["op_type"] == "Identity"]
    assert passed["inputs"] == ours.nodes["dense/Relu"]["outputs"]
    function.node_def[0].op = "dense"  # The function calls itself.
    assert "calls itself" in refusal(save(graph, tmp_path / "recursion.pb"))


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def block(entries):
    """Returns a block of a sorted string table, whose keys share prefixes."""
    out, last = b"", b""
    for key, value in entries:
        shared = next(
            (i for i, (a, b) in enumerate(zip(key, last)) if a != b), min(len(key), len(last))
        )
        out += (
            varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        )
        last = key
    return out + struct.pack("<II", 0, 1)


def write_checkpoint(prefix, variables, names):
    """Maps `variables` by checkpoint key, and `names` from the graph's names to keys."""
    objects = trackable_object_graph_pb2.TrackableObjectGraph()
    for name, key in names.items():
        objects.nodes.add().attributes.add(
            name="VARIABLE_VALUE", full_name=name, checkpoint_key=key
        )
    text = objects.SerializeToString()
    data = varint(len(text)) + bytes(4) + text
    entries = {
        b"": b"\x08\x01",
        b"_CHECKPOINTABLE_OBJECT_GRAPH": b"\x08\x07\x12\x00\x28" + varint(len(data)),
    }
    for key, array in variables.items():
        shape = b"".join(
            b"\x12" + varint(len(d)) + d for d in (b"\x08" + varint(n) for n in array.shape)
        )
        entries[key.encode()] = (
            b"\x08"
            + varint(TYPES[array.dtype.type])
            + b"\x12"
            + varint(len(shape))
            + shape
            + b"\x20"
            + varint(len(data))
            + b"\x28"
            + varint(array.nbytes)
        )
        data += array.tobytes()
    prefix.parent.mkdir(parents=True)
    prefix.with_name(prefix.name + ".data-00000-of-00001").write_bytes(data)
    body = block(sorted(entries.items()))
    table = body + bytes(5)
    meta = block([])
    meta_at, table = len(table), table + meta + bytes(5)
    index = block([(b"\xff", varint(0) + varint(len(body)))])
    index_at, table = len(table), table + index + bytes(5)
    footer = varint(meta_at) + varint(len(meta)) + varint(index_at) + varint(len(index))
    table += footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)
    prefix.with_name(prefix.name + ".index").write_bytes(table)


def saved_model(directory, weights):
    meta = meta_graph_pb2.MetaGraphDef()
    meta.meta_info_def.tags.append("serve")
    meta.meta_info_def.tensorflow_version = "2.15.0"
    graph = meta.graph_def
    placeholder(graph, "serving_x", -1, 4)
    add(graph, "dense/kernel", "VarHandleOp", shared_name="dense/kernel")
    function = graph.library.function.add()
    function.signature.name = "serve"
    function.signature.input_arg.add(name="x", type=types_pb2.DT_FLOAT)
    function.signature.input_arg.add(name="resource", type=types_pb2.DT_RESOURCE)
    function.signature.output_arg.add(name="output_0", type=types_pb2.DT_FLOAT)
    function.node_def.add(
        name="dense/MatMul/ReadVariableOp", op="ReadVariableOp", input=["resource"]
    )
    function.node_def.add(
        name="dense/MatMul", op="MatMul", input=["x", "dense/MatMul/ReadVariableOp:value:0"]
    )
    function.ret["output_0"] = "dense/MatMul:product:0"
    call = attr_value_pb2.AttrValue()
    call.func.name = "serve"
    add(
        graph,
        "StatefulPartitionedCall",
        "StatefulPartitionedCall",
        "serving_x",
        "dense/kernel",
        f=call,
    )
    signature = meta.signature_def["serving_default"]
    signature.inputs["x"].name = "serving_x:0"
    signature.outputs["output_0"].name = "StatefulPartitionedCall:0"
    body = meta.SerializeToString()
    directory.mkdir()
    (directory / "saved_model.pb").write_bytes(b"\x08\x01\x12" + varint(len(body)) + body)
    key = "layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE"
    write_checkpoint(
        directory / "variables" / "variables",
        {key: weights, "save_counter": np.array(1)},
        {"dense/kernel": key},
    )
    return directory


def test_a_saved_model_finds_its_variables(tmp_path, dump):
    weights = RNG.normal(size=(4, 3)).astype(np.float32)
    ours = dump(saved_model(tmp_path / "m", weights))
    assert ours.listing["format"] == "saved_model"
    assert ["tensorflow_version", "2.15.0"] in ours.listing["metadata"]
    assert ours.listing["inputs"] == ["serving_x"] and ours.listing["outputs"] == [
        "StatefulPartitionedCall"
    ]
    np.testing.assert_array_equal(ours.values("dense/kernel"), weights)
    weight = ours.nodes["dense/MatMul"]["inputs"][1]
    np.testing.assert_array_equal(ours.values(weight), weights)
    assert ours.nodes["dense/MatMul"]["macs"] == 12
    assert ours.nodes["dense/MatMul"]["weight_bytes"] == 48
