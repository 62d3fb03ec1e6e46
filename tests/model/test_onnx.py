"""Reads ONNX models, with the onnx package as the oracle: its protobuf classes and its checker."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnx_models import RNG, f32, save, small_network


def test_listing_macs_and_bytes_of_a_small_network(tmp_path, dump):
    nodes, initializers = small_network()
    model = save(
        tmp_path / "m.onnx",
        nodes,
        [f32("x", "batch", 3, 16, 16)],
        [f32("y", "batch", 10)],
        initializers,
    )
    onnx.checker.check_model(model)
    ours = dump(tmp_path / "m.onnx")

    assert ours.ops == [node.op_type for node in nodes]
    assert [node["inputs"] for node in ours.listing["nodes"]] == [
        list(node.input) for node in nodes
    ]
    assert ours.listing["inputs"] == ["x"] and ours.listing["outputs"] == ["y"]
    for initializer in initializers:
        np.testing.assert_array_equal(
            ours.values(initializer.name), numpy_helper.to_array(initializer)
        )
    # Computed by hand for one sample.
    assert ours.nodes["conv1"]["macs"] == 8 * 16 * 16 * 3 * 3 * 3
    assert ours.nodes["conv2"]["macs"] == 8 * 8 * 8 * 1 * 3 * 3
    assert ours.nodes["fc"]["macs"] == 10 * 8 * 8 * 8
    assert ours.nodes["relu1"]["macs"] == 0
    assert ours.nodes["conv1"]["weight_bytes"] == 4 * (8 * 27 + 8)
    assert ours.nodes["fc"]["weight_bytes"] == 4 * (10 * 512 + 10)
    assert ours.nodes["conv1"]["output_bytes"] == 4 * 8 * 16 * 16
    assert sum(n["weight_bytes"] for n in ours.listing["nodes"]) == sum(
        len(i.raw_data) for i in initializers
    )


STORED = [
    (TensorProto.FLOAT, RNG.normal(size=(3, 5)).astype(np.float32)),
    (TensorProto.DOUBLE, RNG.normal(size=(3, 5))),
    (TensorProto.INT64, RNG.integers(-(2**40), 2**40, (3, 5))),
    (TensorProto.INT32, RNG.integers(-(2**31), 2**31, (3, 5)).astype(np.int32)),
    (TensorProto.INT16, RNG.integers(-(2**15), 2**15, (3, 5)).astype(np.int16)),
    (TensorProto.UINT16, RNG.integers(0, 2**16, (3, 5)).astype(np.uint16)),
    (TensorProto.INT8, RNG.integers(-128, 128, (3, 5)).astype(np.int8)),
    (TensorProto.UINT8, RNG.integers(0, 256, (3, 5)).astype(np.uint8)),
    (TensorProto.UINT32, RNG.integers(0, 2**32, (3, 5)).astype(np.uint32)),
    (TensorProto.UINT64, RNG.integers(0, 2**63, (3, 5)).astype(np.uint64)),
    (TensorProto.BOOL, RNG.integers(0, 2, (3, 5)).astype(bool)),
    (TensorProto.FLOAT16, RNG.normal(size=(3, 5)).astype(np.float16)),
    (TensorProto.BFLOAT16, RNG.normal(size=(3, 5))),
    (TensorProto.FLOAT8E4M3FN, RNG.normal(size=(3, 5)) * 100),
    (TensorProto.FLOAT8E4M3FNUZ, RNG.normal(size=(3, 5)) * 10),
    (TensorProto.FLOAT8E5M2, RNG.normal(size=(3, 5)) * 1000),
    (TensorProto.FLOAT8E5M2FNUZ, RNG.normal(size=(3, 5)) * 10),
    (TensorProto.INT4, RNG.integers(-8, 8, (3, 5))),
    (TensorProto.UINT4, RNG.integers(0, 16, (3, 5))),
    (TensorProto.FLOAT4E2M1, RNG.normal(size=(3, 5)) * 3),
]


@pytest.mark.parametrize("raw", [False, True], ids=["typed fields", "raw_data"])
@pytest.mark.parametrize(
    "kind, values", STORED, ids=[TensorProto.DataType.Name(kind) for kind, _ in STORED]
)
def test_every_element_type(tmp_path, dump, kind, values, raw):
    as_kind = values.astype(helper.tensor_dtype_to_np_dtype(kind))
    tensor = (
        numpy_helper.from_array(as_kind, "w")
        if raw
        else helper.make_tensor("w", kind, values.shape, as_kind.flatten())
    )
    assert tensor.HasField("raw_data") == raw
    save(
        tmp_path / "m.onnx",
        [helper.make_node("Identity", ["w"], ["y"])],
        [],
        [helper.make_tensor_value_info("y", kind, values.shape)],
        [tensor],
        opset=23,
    )
    expected = numpy_helper.to_array(tensor).astype(np.float32)
    ours = dump(tmp_path / "m.onnx")
    np.testing.assert_array_equal(ours.values("w"), expected)
    np.testing.assert_array_equal(ours.values("y"), expected)


def test_external_data(tmp_path, dump):
    nodes, initializers = small_network()
    save(
        tmp_path / "m.onnx",
        nodes,
        [f32("x", 1, 3, 16, 16)],
        [f32("y", 1, 10)],
        initializers,
        save_as_external_data=True,
        location="weights.bin",
        size_threshold=0,
    )
    expected = {
        i.name: numpy_helper.to_array(i) for i in onnx.load(tmp_path / "m.onnx").graph.initializer
    }
    ours = dump(tmp_path / "m.onnx")
    for name, values in expected.items():
        np.testing.assert_array_equal(ours.values(name), values)
    assert ours.listing["file_bytes"] == sum(p.stat().st_size for p in tmp_path.iterdir())


def test_subgraphs_see_the_graph_around_them(tmp_path, dump):
    def branch(name, op):
        return helper.make_graph(
            [helper.make_node(op, ["x", "k"], ["out"], op.lower())],
            name,
            [],
            [f32("out", 2, 2)],
            [],
        )

    model = save(
        tmp_path / "m.onnx",
        [
            helper.make_node("Constant", [], ["k"], value_float=2.0),
            helper.make_node(
                "If",
                ["cond"],
                ["y"],
                "choose",
                then_branch=branch("t", "Mul"),
                else_branch=branch("e", "Add"),
            ),
        ],
        [helper.make_tensor_value_info("cond", TensorProto.BOOL, []), f32("x", 2, 2)],
        [f32("y", 2, 2)],
        [],
    )
    onnx.checker.check_model(model)
    ours = dump(tmp_path / "m.onnx")
    assert sorted(ours.ops[:2]) == ["Add", "Mul"] and ours.ops[2] == "If"
    assert ours.nodes["choose/then_branch/mul"]["inputs"] == ["x", "k"]
    assert ours.nodes["choose/else_branch/add"]["outputs"] == ["choose/else_branch/out"]
    assert ours.values("k") == 2.0


def test_functions_are_unfolded_where_they_are_called(tmp_path, dump):
    function = helper.make_function(
        "local",
        "Scaled",
        ["a", "b"],
        ["c"],
        [
            helper.make_node("MatMul", ["a", "b"], ["m"], "product"),
            onnx.parser.parse_node("f = Constant <value_float: float = @factor> ()"),
            helper.make_node("Mul", ["m", "f"], ["c"], "scaled"),
        ],
        [helper.make_opsetid("", 21)],
        ["factor"],
    )
    model = save(
        tmp_path / "m.onnx",
        [
            helper.make_node("Scaled", ["x", "w"], ["h"], "first", domain="local", factor=3.0),
            helper.make_node("Scaled", ["h", "w"], ["y"], "second", domain="local", factor=5.0),
        ],
        [f32("x", 2, 4)],
        [f32("y", 2, 4)],
        [numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")],
        functions=[function],
        domains=["local"],
    )
    onnx.checker.check_model(model)
    ours = dump(tmp_path / "m.onnx")
    assert list(ours.nodes) == ["first/product", "first/scaled", "second/product", "second/scaled"]
    assert ours.nodes["second/product"]["inputs"] == ["h", "w"]
    assert ours.nodes["second/product"]["macs"] == 2 * 4 * 4
    assert ours.values("first/f") == 3.0 and ours.values("second/f") == 5.0
    assert ours.nodes["second/scaled"]["outputs"] == ["y"]


def test_nodes_come_in_an_order_that_can_be_computed(tmp_path, dump):
    nodes, initializers = small_network()
    save(
        tmp_path / "m.onnx", nodes[::-1], [f32("x", 1, 3, 16, 16)], [f32("y", 1, 10)], initializers
    )
    assert dump(tmp_path / "m.onnx").ops == [node.op_type for node in nodes]


def sparse_tensor(name, values, indices, shape):
    return helper.make_sparse_tensor(
        numpy_helper.from_array(values, name), numpy_helper.from_array(indices, f"{name}_indices"), shape
    )


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int8, np.int64, np.float64])
@pytest.mark.parametrize("by_dimension", [False, True])
@pytest.mark.parametrize("shape", [(30,), (5, 6), (4, 3, 2, 2)])
@pytest.mark.parametrize("place", ["initializer", "Constant"])
def test_sparse_constants_are_unfolded(tmp_path, dump, kind, by_dimension, shape, place):
    dense = (np.random.default_rng(1).random(shape) * 100 - 50).astype(kind)
    dense[np.random.default_rng(2).random(shape) < 0.7] = 0
    where = np.flatnonzero(dense)
    indices = np.argwhere(dense) if by_dimension else where
    values = dense.reshape(-1)[where]
    sparse = sparse_tensor("w", values, indices.astype(np.int64), shape)
    nodes = [helper.make_node("Identity", ["w"], ["y"], "id")]
    if place == "Constant":
        nodes.insert(0, helper.make_node("Constant", [], ["w"], sparse_value=sparse))
    graph = helper.make_graph(
        nodes, "g", [], [], sparse_initializer=[sparse] if place == "initializer" else []
    )
    (tmp_path / "m.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    found = dump(tmp_path / "m.onnx")
    np.testing.assert_array_equal(found.values("w"), dense.astype(np.float32))
    assert found.tensors["w"]["shape"] == list(shape)
    assert found.tensors["w"]["bytes"] == values.nbytes + 8 * indices.size


def test_a_sparse_constant_may_be_all_zeros(tmp_path, dump):
    sparse = sparse_tensor("w", np.zeros(0, np.float32), np.zeros(0, np.int64), [3, 4])
    graph = helper.make_graph(
        [helper.make_node("Identity", ["w"], ["y"])], "g", [], [], sparse_initializer=[sparse]
    )
    (tmp_path / "m.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    np.testing.assert_array_equal(dump(tmp_path / "m.onnx").values("w"), np.zeros((3, 4)))
