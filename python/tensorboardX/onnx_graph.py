"""Converts ONNX models to TensorBoard graphs."""

from typing import Any

from compression_board import _engine


def load_onnx_graph(fname: Any) -> Any:
    """Returns the GraphDef of an ONNX file."""
    from tensorboardX.proto.graph_pb2 import GraphDef

    return GraphDef.FromString(_engine.graph_from_onnx(str(fname)))
