"""compression-board compare --stages: two ONNX files become stages that every board opens."""

import os
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef

SCALE = 0.05


def network(quantized):
    random = np.random.default_rng(3)
    weight = random.normal(size=(4, 3, 3, 3)).astype(np.float32)
    matrix = random.normal(size=(4 * 8 * 8, 5)).astype(np.float32)
    codes = np.clip(np.round(weight / SCALE), -127, 127).astype(np.int8)
    constants = {"b": np.zeros(4, np.float32), "m": matrix, "ws": np.float32(SCALE), "wz": np.int8(0),
                 "os": np.float32(0.1), "oz": np.uint8(0), "w": codes if quantized else weight}  # fmt: skip
    nodes = []
    if quantized:
        nodes.append(helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wr"], "w_DequantizeLinear"))
    nodes += [helper.make_node("Conv", ["x", "wr" if quantized else "w", "b"], ["c"], "conv1", pads=[1] * 4),
              helper.make_node("Relu", ["c"], ["r"], "relu1")]  # fmt: skip
    last = "r"
    if quantized:
        nodes += [helper.make_node("QuantizeLinear", ["r", "os", "oz"], ["rq"], "r_QuantizeLinear"),
                  helper.make_node("DequantizeLinear", ["rq", "os", "oz"], ["rd"], "r_DequantizeLinear")]  # fmt: skip
        last = "rd"
    nodes += [helper.make_node("Flatten", [last], ["f"], "flatten"),
              helper.make_node("MatMul", ["f", "m"], ["y"], "fc")]  # fmt: skip
    used = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes, "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 5])],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items() if name in used],
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


@pytest.fixture(scope="module")
def logged(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    onnx.save(network(False), folder / "net.onnx")
    onnx.save(network(True), folder / "net_int8.onnx")
    command = [os.environ["COMPRESSION_BOARD"], "compare", "net.onnx", "net_int8.onnx", "--logdir", "log", "--stages"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "log/tensorboard_logs"


def read(path):
    run = EventAccumulator(str(path))
    run.Reload()
    return run


@pytest.mark.parametrize(("stage", "conv_bytes"), [("initial_graph", 4 * 108 + 16), ("after_quantization", 108 + 16)])
def test_each_file_is_a_stage_with_joinable_bytes(logged, stage, conv_bytes):
    run = read(logged / stage)
    names = {node.name for node in GraphDef.FromString(run._graph).node}
    name = "net" if stage == "initial_graph" else "net_int8"
    assert {"Input/x", f"{name}/Conv_0/conv1", "Output/fc"} <= names
    metadata = RunMetadata.FromString(run._tagged_metadata["Resources"])
    sizes = {node.node_name: sum(memory.total_bytes for memory in node.memory)
             for node in metadata.step_stats.dev_stats[0].node_stats}  # fmt: skip
    assert set(sizes) <= names
    assert conv_bytes <= sizes[f"{name}/Conv_0/conv1"] <= conv_bytes + 8, "and scale and zero point"


def test_outputs_similarity_and_figures_are_there(logged):
    before, after, figures = (read(logged / run) for run in ("initial_graph", "after_quantization", "figures"))
    layers = set(before.Tags()["histograms"])
    assert layers and layers == set(after.Tags()["histograms"])
    assert "conv1" in layers or "relu1" in layers
    assert "similarity_distance_sample_0" in figures.Tags()["images"]
    assert any(tag.endswith("/cosine/after_quantization") for tag in after.Tags()["scalars"])


def test_stages_need_a_place():
    command = [os.environ["COMPRESSION_BOARD"], "compare", "a.onnx", "b.onnx", "--stages"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "--logdir" in done.stderr
