"""Graphs and embeddings: our response equals TensorBoard's."""

from google.protobuf import text_format
from tensorboard.compat.proto import config_pb2, graph_pb2
from test_same_answers import assert_same, both


def assert_same_message(stock, ours, kind, path, **arguments):
    """Compares messages as sorted lines: maps have no order, and TensorBoard's order is that of a
    hash table."""
    expected, actual = both(stock, ours, path, **arguments)
    assert (actual.status, actual.type) == (expected.status, expected.type) == (200, "text/x-protobuf")
    assert text_format.Parse(actual.body, kind()) == text_format.Parse(expected.body, kind()), arguments
    assert sorted(actual.body.splitlines()) == sorted(expected.body.splitlines()), arguments


def test_info(stock, ours):
    assert_same(stock, ours, "plugin/graphs/info")
    info = ours.json("plugin/graphs/info")
    assert info["stock"]["run_graph"] and "future" not in info["stock"]["tags"]


def test_run_graphs(stock, ours):
    runs = [run for run, item in stock.json("plugin/graphs/info").items() if item["run_graph"]]
    assert len(runs) > 1
    for run in runs:
        assert_same_message(stock, ours, graph_pb2.GraphDef, "plugin/graphs/graph", run=run)
        limits = {"limit_attr_size": 1024, "large_attrs_key": "_large"}
        assert_same_message(stock, ours, graph_pb2.GraphDef, "plugin/graphs/graph", run=run, **limits)
    assert b'"_large"' in ours.ask("plugin/graphs/graph", run="stock", **limits).body


def test_tagged_graphs_and_profiles(stock, ours):
    seen = set()
    for run, item in stock.json("plugin/graphs/info").items():
        for tag, has in item["tags"].items():
            where = {"run": run, "tag": tag}
            if has["op_graph"]:
                assert_same_message(stock, ours, graph_pb2.GraphDef, "plugin/graphs/graph", **where)
            if has["conceptual_graph"]:
                where_layers = {**where, "conceptual": "true"}
                assert_same_message(stock, ours, graph_pb2.GraphDef, "plugin/graphs/graph", **where_layers)
            if has["profile"]:
                assert_same_message(stock, ours, config_pb2.RunMetadata, "plugin/graphs/run_metadata", **where)
            seen |= {kind for kind, there in has.items() if there is True}
    assert seen == {"op_graph", "conceptual_graph", "profile"}


def test_a_graph_that_is_not_there(stock, ours):
    for path in ("plugin/graphs/graph", "plugin/graphs/run_metadata"):
        expected, actual = both(stock, ours, path, run="nowhere", tag="x")
        assert expected.status == actual.status == 404


def test_projector(stock, ours):
    runs = stock.json("plugin/projector/runs")
    assert sorted(runs) == ours.json("plugin/projector/runs") and runs
    answered = set()
    for run in runs:
        assert_same(stock, ours, "plugin/projector/info", run=run)
        for embedding in stock.json("plugin/projector/info", run=run)["embeddings"]:
            for route in ("metadata", "tensor", "bookmarks", "sprite_image"):
                for rows in ({}, {"num_rows": 2}):
                    path, arguments = f"plugin/projector/{route}", {"run": run, "name": embedding["tensorName"], **rows}
                    expected, actual = both(stock, ours, path, **arguments)
                    assert actual.status == expected.status, (path, arguments, actual)
                    if expected.status == 200:
                        assert actual == expected, (path, arguments)
                        answered.add(route)
    assert answered == {"metadata", "tensor", "sprite_image"}
