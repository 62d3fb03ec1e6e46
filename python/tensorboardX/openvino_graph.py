"""Converts OpenVINO models to TensorBoard graphs."""

from typing import Any

from compression_board import _engine


def load_openvino_graph(fname: Any) -> Any:
    """Returns the GraphDef of an OpenVINO .xml."""
    from tensorboardX.proto.graph_pb2 import GraphDef

    return GraphDef.FromString(_engine.graph_from_openvino(str(fname)))
