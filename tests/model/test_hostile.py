"""Invalid files: truncated, changed, cyclic, huge, or with references to other files."""

import json
import os
import resource
import struct
import subprocess

import gguf
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from safetensors.numpy import save_file

import test_gguf
import onnx_models
import test_tensorflow
import test_tflite


def small_onnx(path):
    nodes, initializers = onnx_models.small_network()
    nodes[0].name = "conv1"
    onnx_models.save(
        path,
        nodes[:2] + nodes[4:],
        [onnx_models.f32("x", 1, 3, 4, 4)],
        [onnx_models.f32("y", 1, 10)],
        initializers[:2],
    )


def small_sparse_onnx(path):
    save_sparse(path, np.arange(1, 5, dtype=np.float32), np.array([0, 3, 7, 11]), [3, 4])


def small_safetensors(path):
    save_file({"a": np.arange(6, dtype=np.float32), "b": np.ones((2, 3), np.int8)}, path)


def small_gguf(path):
    kind = gguf.GGMLQuantizationType.Q4_0
    test_gguf.write(
        path,
        {"w": (test_gguf.random_blocks(kind, 2, 64), kind), "b": (np.ones(4, np.float32), None)},
    )


def small_graph(path):
    graph = test_tensorflow.graph_pb2.GraphDef()
    test_tensorflow.placeholder(graph, "x", 2, 4)
    test_tensorflow.const(graph, "w", np.eye(4, dtype=np.float32))
    test_tensorflow.add(graph, "y", "MatMul", "x", "w")
    test_tensorflow.save(graph, path)


def small_tflite(path):
    path.write_bytes(test_tflite.quantized_network()[0])


def small_sparse_tflite(path):
    path.write_bytes(test_tflite.sparse_network()[0])


def small_ir(path):
    path.write_text("""<?xml version="1.0"?><net name="n" version="11"><layers>
      <layer id="0" name="x" type="Parameter"><output><port id="0" precision="FP32"><dim>2</dim></port></output></layer>
      <layer id="1" name="r" type="ReLU"><input><port id="0"/></input>
        <output><port id="1" precision="FP32"><dim>2</dim></port></output></layer>
      <layer id="2" name="y" type="Result"><input><port id="0"/></input></layer></layers>
      <edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>
      <edge from-layer="1" from-port="1" to-layer="2" to-port="0"/></edges></net>""")


SMALL = {
    "onnx": small_onnx,
    "sparse.onnx": small_sparse_onnx,
    "safetensors": small_safetensors,
    "gguf": small_gguf,
    "pb": small_graph,
    "tflite": small_tflite,
    "sparse.tflite": small_sparse_tflite,
    "xml": small_ir,
}


@pytest.mark.parametrize("kind", SMALL)
def test_cut_off_at_every_byte_and_changed_at_every_byte(tmp_path, kind):
    path = tmp_path / f"m.{kind}"
    SMALL[kind](path)
    result = subprocess.run(
        [os.environ["CUT_MODEL"], path, "1"], capture_output=True, text=True, timeout=500
    )
    assert result.returncode == 0, result.stderr
    prefixes_opened, prefixes, changed_opened, changed, max_at_once = map(
        int, result.stdout.split()
    )
    assert prefixes == path.stat().st_size and changed == 3 * prefixes
    # A protobuf may end between two fields of its outermost message and is then complete; GGUF and
    # flatbuffers may end in padding.
    assert prefixes_opened <= {
        "onnx": 20,
        "sparse.onnx": 20,
        "pb": 20,
        "gguf": 31,
        "tflite": 7,
        "sparse.tflite": 7,
    }.get(kind, 0)
    assert 0 < changed_opened < changed
    # No size in a file is trusted: larger than the file are only buffers of fixed sizes, and
    # expanded zeros, which have a limit.
    limit = 256 * path.stat().st_size + 256 if "sparse" in kind else 64 << 10
    assert path.stat().st_size < 8 << 10 and max_at_once <= limit


def limited(path):
    """Returns the error for a file from a process with limited memory."""
    result = subprocess.run(
        [os.environ["DUMP_MODEL"], path],
        capture_output=True,
        text=True,
        timeout=120,
        errors="replace",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20)),
    )
    assert result.returncode == 1, f"exit code {result.returncode}: {result.stderr}"
    return result.stderr


def save_tensor(path, **fields):
    tensor = TensorProto(name="w", **fields)
    onnx_models.save(path, [helper.make_node("Identity", ["w"], ["y"])], [], [], [tensor])
    return path


@pytest.mark.parametrize("dims", [[2**63 - 1], [2**62, 4], [-1], [2**31, 2**31, 2**31]])
def test_onnx_dimensions_beyond_all_bounds(tmp_path, dims):
    for data in ({"raw_data": b"1234"}, {"float_data": [1.0]}):
        message = limited(
            save_tensor(tmp_path / "m.onnx", dims=dims, data_type=TensorProto.FLOAT, **data)
        )
        assert "data_loss" in message and "tensor 'w'" in message and "m.onnx" in message


def save_sparse(path, values, indices, dims):
    sparse = onnx.SparseTensorProto(dims=dims)
    sparse.values.CopyFrom(onnx.numpy_helper.from_array(values, "w"))
    sparse.indices.CopyFrom(onnx.numpy_helper.from_array(indices, "i"))
    graph = helper.make_graph([helper.make_node("Identity", ["w"], ["y"])], "g", [], [])
    graph.sparse_initializer.append(sparse)
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


TWO = np.ones(2, np.float32)


@pytest.mark.parametrize(
    "values, indices, dims, complaint",
    [
        (TWO, np.array([0, 6]), [2, 3], "an index of 6, but the dimension has size 6"),
        (TWO, np.array([-1, 3]), [2, 3], "an index of -1, but the dimension has size 6"),
        (TWO, np.array([[0, 0], [1, 3]]), [2, 3], "an index of 3, but the dimension has size 3"),
        (TWO, np.array([0]), [2, 3], "indices of shape [1], which does not match its 2 values"),
        (TWO, np.array([[0], [1]]), [2, 3], "indices of shape [2, 1], which does not match its 2 values"),
        (TWO, np.array([0, 1], np.int32), [2, 3], "indices of shape [2], which does not match its 2 values"),
        (np.ones((1, 2), np.float32), np.array([0, 1]), [2, 3], "differs from the shape of the values, [1, 2]"),
        (TWO, np.array([0, 1]), [], "a negative or too large dimension"),
        (TWO, np.array([0, 1]), [-2, -3], "a negative or too large dimension"),
        (TWO, np.array([0, 1]), [2**62, 4], "a negative or too large dimension"),
    ],
)
def test_onnx_sparse_constants_that_do_not_fit(tmp_path, values, indices, dims, complaint):
    message = limited(save_sparse(tmp_path / "m.onnx", values, indices, dims))
    assert "data_loss" in message and "m.onnx" in message
    assert "sparse tensor 'w' of type float32 and shape [" in message and complaint in message


def test_onnx_zeros_that_are_not_stored_have_a_limit(tmp_path):
    path = save_sparse(tmp_path / "m.onnx", TWO, np.array([0, 1]), [2**20, 2**20])
    assert path.stat().st_size < 1 << 10
    message = limited(path)
    assert "resource_exhausted: " in message and "sparse tensor 'w'" in message
    assert "more than 256 times the size of its file" in message


def external(location, **more):
    entries = {"location": location, **more}
    return [
        onnx.StringStringEntryProto(key=key, value=str(value)) for key, value in entries.items()
    ]


@pytest.mark.parametrize(
    "location, complaint",
    [
        ("/etc/passwd", "absolute path"),
        ("../secret", "is outside of its folder"),
        ("link", "link to a place outside"),
        ("folder/secret", "link to a place outside"),
        ("gone", "put the file next to the model"),
        ("", "not a file name"),
    ],
)
def test_onnx_external_data_stays_in_its_folder(tmp_path, location, complaint):
    (tmp_path / "secret").write_bytes(b"root")
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "link").symlink_to("../secret")
    (folder / "folder").symlink_to("..")
    tensor = dict(dims=[1], data_type=TensorProto.FLOAT, data_location=TensorProto.EXTERNAL)
    path = save_tensor(folder / "m.onnx", external_data=external(location), **tensor)
    assert complaint in limited(path)


@pytest.mark.parametrize(
    "more",
    [
        {"offset": 8},
        {"offset": 2**63},
        {"offset": "many"},
        {"offset": 0, "length": 9},
        {"offset": 4, "length": 2**64 - 1},
        {"offset": -4},
    ],
)
def test_onnx_external_offsets_must_be_in_the_file(tmp_path, more):
    (tmp_path / "w").write_bytes(b"12345678")
    path = save_tensor(
        tmp_path / "m.onnx",
        dims=[1],
        data_type=TensorProto.FLOAT,
        data_location=TensorProto.EXTERNAL,
        external_data=external("w", **more),
    )
    assert "data_loss" in limited(path)


def function(name, nodes):
    return helper.make_function(
        "local",
        name,
        ["a"],
        ["b"],
        nodes,
        [helper.make_opsetid("", 21), helper.make_opsetid("local", 1)],
    )


def call(name, into, out):
    return helper.make_node(name, [into], [out], domain="local")


def test_onnx_functions_that_call_themselves_or_double_at_each_step(tmp_path):
    def save(functions):
        onnx_models.save(
            tmp_path / "m.onnx",
            [call("F0", "x", "y")],
            [onnx_models.f32("x", 1)],
            [onnx_models.f32("y", 1)],
            [],
            functions=functions,
            domains=["local"],
        )
        return tmp_path / "m.onnx"

    assert "a function calls itself" in limited(save([function("F0", [call("F0", "a", "b")])]))
    doubling = [
        function(f"F{i}", [call(f"F{i + 1}", "a", "t"), call(f"F{i + 1}", "t", "b")])
        for i in range(30)
    ]
    doubling.append(function("F30", [helper.make_node("Relu", ["a"], ["b"])]))
    assert "resource_exhausted" in limited(save(doubling))


def test_onnx_cycles_and_deep_subgraphs(tmp_path):
    onnx_models.save(
        tmp_path / "m.onnx",
        [
            helper.make_node("Relu", ["b"], ["a"], "one"),
            helper.make_node("Relu", ["a"], ["b"], "two"),
        ],
        [],
        [],
        [],
    )
    assert "cycle: node 'one'" in limited(tmp_path / "m.onnx")

    # Encoded by hand, because protobuf itself refuses to nest so deep.
    def field(number, content):
        return (
            test_tensorflow.varint(number << 3 | 2) + test_tensorflow.varint(len(content)) + content
        )

    graph = field(1, field(2, b"y") + field(4, b"Relu"))
    for _ in range(60):
        graph = field(
            1,
            field(2, b"y") + field(4, b"If") + field(5, field(1, b"then_branch") + field(6, graph)),
        )
    (tmp_path / "deep.onnx").write_bytes(b"\x08\x08" + field(7, graph))
    assert "nested more than" in limited(tmp_path / "deep.onnx")


def test_long_names_around_many_nodes_do_not_multiply(tmp_path):
    inner = helper.make_graph(
        [helper.make_node("Relu", ["x"], [f"t{i}"]) for i in range(3000)], "inner", [], []
    )
    graph = helper.make_graph(
        [helper.make_node("If", ["c"], ["y"], "n" * 1_000_000, then_branch=inner)], "g", [], []
    )
    (tmp_path / "m.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    assert "resource_exhausted" in limited(tmp_path / "m.onnx")


@pytest.mark.parametrize(
    "tensors, pairs, rest",
    [
        (2**63, 0, b""),
        (0, 2**63, b""),
        (1, 0, struct.pack("<Q", 2**63)),
        (1, 0, struct.pack("<Q1sI", 1, b"w", 2**31)),
        (1, 0, struct.pack("<Q1sIQQIQ", 1, b"w", 2, 2**62, 2**62, 0, 0)),
        (1, 0, struct.pack("<Q1sIQIQ", 1, b"w", 1, 4, 0, 2**63)),
        (0, 1, struct.pack("<Q1sIIQ", 1, b"k", 9, 8, 2**60)),
        (0, 1, struct.pack("<Q1sIIQ", 1, b"k", 9, 9, 2)),
        (0, 1, struct.pack("<Q1sI", 1, b"k", 99)),
    ],
    ids=[
        "tensors",
        "pairs",
        "name",
        "rank",
        "sizes",
        "offset",
        "strings",
        "arrays of arrays",
        "type",
    ],
)
def test_gguf_that_claims_too_much(tmp_path, tensors, pairs, rest):
    (tmp_path / "m.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, tensors, pairs) + rest)
    message = limited(tmp_path / "m.gguf")
    assert "data_loss" in message and "m.gguf" in message


def test_a_tensorflow_constant_of_a_million_billions_is_not_made(tmp_path, dump):
    graph = test_tensorflow.graph_pb2.GraphDef()
    value = test_tensorflow.tensor_pb2.TensorProto(dtype=1, float_val=[1.0])
    value.tensor_shape.dim.add(size=10**15)
    test_tensorflow.add(graph, "w", "Const", value=value)
    path = test_tensorflow.save(graph, tmp_path / "g.pb")
    result = subprocess.run(
        [os.environ["DUMP_MODEL"], path], capture_output=True, text=True, timeout=60
    )
    assert json.loads(result.stdout)["tensors"][0]["bytes"] == 4


INT = np.int32
CSR = test_tflite.DimensionType.SPARSE_CSR


def csr(segments, indices, kind=INT):
    return (CSR, np.array(segments, kind), np.array(indices, kind))


def sparse_tflite(path, order, block_map, levels, shape=(2, 4), values=3, copies=1):
    """Returns a float32 tensor 'w', by default of two rows; repeated as often as requested, always
    the same table.
    """
    m = test_tflite.Builder()
    data = None if values == 0 else np.ones(values, np.float32)
    w = m.tensor("w", "float32", shape, data, sparsity=m.sparsity(order, block_map, levels))
    m.tensors *= copies
    path.write_bytes(m.finish([], [w]))
    return path


ROWS = csr([0, 1, 3], [2, 0, 3])


def test_tflite_sparse_tables_that_fit_are_read(tmp_path, dump):
    ours = dump(sparse_tflite(tmp_path / "m.tflite", [0, 1], [], [(2,), ROWS]))
    assert ours.values("w").tolist() == [[0, 0, 1, 0], [1, 0, 0, 1]]


@pytest.mark.parametrize(
    "complaint, order, block_map, levels, more",
    [
        ("has 0 dimensions, but only 1 to 8 are supported for sparse tensors", [], [], [], {"shape": []}),
        (
            "has 9 dimensions, but only 1 to 8 are supported for sparse tensors",
            range(9),
            [],
            [(1,)] * 9,
            {"shape": [1] * 9},
        ),
        ("has a dimension of size 0", [0, 1], [], [(0,), ROWS], {"shape": [0, 4]}),
        ("has a dimension of size 0", [0, 1], [], [(2,), ROWS], {"shape": [2, -4]}),
        (
            "exceeds the address space",
            [0, 1, 2],
            [],
            [csr([0, 0], []), csr([0], []), csr([0], [])],
            {"shape": [2**31 - 1] * 3},
        ),
        (
            "exceeds the address space",
            [0, 1, 2],
            [],
            [csr([0, 0], []), csr([0], []), csr([0], [])],
            {"shape": [2**31 - 1, 2**31 - 1, 2]},
        ),
        ("has 0 levels and a traversal order of length 0 for 2 dimensions", [], [], [], {}),
        ("has 1 levels and a traversal order of length 2 for 2 dimensions", [0, 1], [], [(2,)], {}),
        ("has 2 levels and a traversal order of length 1 for 2 dimensions", [0], [], [(2,), ROWS], {}),
        ("2 dimensions and 1 block dimensions", [0, 1], [1], [(2,), ROWS], {}),
        (
            "has 20000 levels and a traversal order of length 20000",
            range(20000),
            range(19998),
            [(1,)] * 20000,
            {},
        ),
        ("has a traversal order that does not", [0, 0], [], [(2,), ROWS], {}),
        ("has a traversal order that does not", [0, 2], [], [(2,), ROWS], {}),
        ("has a traversal order that does not", [-1, 1], [], [(2,), ROWS], {}),
        ("has a traversal order that does not", [0, 2, 1], [1], [(2,), (2,), (2,)], {}),
        ("has a traversal order that does not", [0, 1, 3], [1], [(2,), (2,), (2,)], {}),
        ("has a block map that", [0, 1, 2], [2], [(2,), (2,), (2,)], {}),
        ("has a block map that", [0, 1, 2], [-1], [(2,), (2,), (2,)], {}),
        ("has a block map that", [0, 1, 2, 3], [1, 1], [(2,), (1,), (2,), (2,)], {}),
        ("has a level of an unknown format, 7", [0, 1], [], [(2,), (7, *ROWS[1:])], {}),
        (
            "has a sparse level without a list of segments or indices",
            [0, 1],
            [],
            [(2,), (CSR, None, ROWS[2])],
            {},
        ),
        (
            "has a sparse level without a list of segments or indices",
            [0, 1],
            [],
            [(2,), (CSR, ROWS[1], None)],
            {},
        ),
        ("whole blocks along dimension 1", [0, 1, 2], [1], [(2,), (1,), (3,)], {}),
        ("whole blocks along dimension 1", [0, 1, 2], [1], [(2,), (1,), (0,)], {}),
        ("whole blocks along dimension 1", [0, 1, 2], [1], [(2,), (1,), (-4,)], {}),
        ("whole blocks along dimension 1", [0, 1, 2], [1], [(2,), (2,), ROWS], {}),
        ("has a level whose size is 3 instead of 2 for dimension 0", [0, 1], [], [(3,), ROWS], {}),
        ("has a level whose size is -2 instead of 2 for dimension 0", [0, 1], [], [(-2,), ROWS], {}),
        ("has a level whose size is 4 instead of 2 for dimension 1", [0, 1, 2], [1], [(2,), (4,), (2,)], {}),
        (
            "has 2 segment bounds for 2 segments",
            [0, 1],
            [],
            [(2,), csr([0, 3], [2, 0, 3])],
            {},
        ),
        (
            "has 4 segment bounds for 2 segments",
            [0, 1],
            [],
            [(2,), csr([0, 1, 3, 3], [2, 0, 3])],
            {},
        ),
        ("has 0 segment bounds for 2", [0, 1], [], [(2,), csr([], [2, 0, 3])], {}),
        ("from 0: bound 0 is 1", [0, 1], [], [(2,), csr([1, 1, 3], [2, 0, 3])], {}),
        ("from 0: bound 0 is -1", [0, 1], [], [(2,), csr([-1, 1, 3], [2, 0, 3])], {}),
        ("from 0: bound 2 is 1", [0, 1], [], [(2,), csr([0, 2, 1], [2, 0, 3])], {}),
        ("from 0: bound 2 is -3", [0, 1], [], [(2,), csr([0, 2, -3], [2, 0, 3])], {}),
        (
            "has segments for 2147483647 indices but a list of 3",
            [0, 1],
            [],
            [(2,), csr([0, 1, 2**31 - 1], [2, 0, 3])],
            {},
        ),
        ("has the index 4 in a level of size 4", [0, 1], [], [(2,), csr([0, 1, 3], [2, 0, 4])], {}),
        ("has the index -1 in a level of", [0, 1], [], [(2,), csr([0, 1, 3], [2, -1, 3])], {}),
        (
            "has the index 255 in a level of size 4",
            [0, 1],
            [],
            [(2,), csr([0, 1, 3], [2, 0, 255], np.uint8)],
            {},
        ),
        (
            "has the index 65535 in a level of size 4",
            [0, 1],
            [],
            [(2,), csr([0, 1, 3], [2, 0, 65535], np.uint16)],
            {},
        ),
        (
            "has the index 2 in a level of size 2",
            [0, 1, 2],
            [1],
            [(2,), csr([0, 0, 1], [2]), (2,)],
            {},
        ),
        ("needs 3 values but has 2", [0, 1], [], [(2,), ROWS], {"values": 2}),
        ("needs 3 values but has 0", [0, 1], [], [(2,), ROWS], {"values": 0}),
        ("needs 8 values but has 3", [0, 1], [], [(2,), (4,)], {}),
        (
            "needs 576460752034988032 values but has 3",
            [0, 1],
            [],
            [(2**31 - 1,), (2**28,)],
            {"shape": [2**31 - 1, 2**28]},
        ),
        (
            "exceeds the address space",
            [0, 1, 2],
            [],
            [csr([0, 40], [0] * 40), (2**31 - 1,), (2**28,)],
            {"shape": [1, 2**31 - 1, 2**28]},
        ),
    ],
)
def test_tflite_sparse_tables_that_do_not_fit(tmp_path, complaint, order, block_map, levels, more):
    message = limited(
        sparse_tflite(tmp_path / "m.tflite", list(order), list(block_map), levels, **more)
    )
    assert "data_loss" in message and "m.tflite" in message
    assert "sparse tensor 'w' of type float32 and shape [" in message and complaint in message


def test_tflite_zeros_that_are_not_stored_have_a_limit(tmp_path):
    """Both limits: of the largest one, and of all together."""
    path = tmp_path / "m.tflite"
    message = limited(
        sparse_tflite(path, [0, 1], [], [csr([0, 1], [0]), csr([0, 1], [0])], [2**15, 2**15])
    )
    assert "resource_exhausted: " in message and "sparse tensor 'w'" in message
    assert "more than 256 times the size of its file" in message
    many = sparse_tflite(path, [0], [], [csr([0, 1], [0])], [2**17], copies=1000)
    assert path.stat().st_size < 8 << 10
    message = limited(many)
    assert "resource_exhausted" in message and "of memory for its nodes and tensors" in message


def test_tflite_lists_that_many_tensors_share_are_not_gone_through_for_each(tmp_path):
    """A million values for one element, and 50,000 tensors of four bytes each."""
    count = 1_000_000
    level = (CSR, np.array([0, count], INT), np.zeros(count, np.uint8))
    path = sparse_tflite(tmp_path / "m.tflite", [0], [], [level], [1], values=count, copies=50_000)
    assert "resource_exhausted" in limited(path)
