"""Tests compression-board compare --stages: two ONNX files become stages that every board opens."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef

sys.path.append(str(Path(__file__).resolve().parents[1] / "server"))
from running_board import RunningBoard  # noqa: E402

SCALE = 0.05  # Scale of the weights' codes; the file contains half of it.


def network(quantized):
    random = np.random.default_rng(3)
    weight = random.normal(size=(4, 3, 3, 3)).astype(np.float32)
    matrix = random.normal(size=(4 * 8 * 8, 5)).astype(np.float32)
    codes = np.clip(np.round(weight / SCALE), -127, 127).astype(np.int8)
    constants = {"b": np.zeros(4, np.float32), "m": matrix, "ws": np.float32(SCALE / 2), "wz": np.int8(0),
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
    command = [os.environ["COMPRESSION_BOARD"], "compare", "net.onnx", "net_int8.onnx", "--logdir", "log", "--stages",
               "--verify"]  # fmt: skip
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


def test_what_was_verified_is_logged_by_the_names_of_the_stage(logged):
    after = read(logged / "after_quantization")
    assert after.Scalars("net/verified/sqnr_db/after_quantization")[0].step == 0
    assert "| everything in float | exact |" in (
        after.Tensors("net/verified/after_quantization/text_summary")[-1].tensor_proto.string_val[0].decode()
    )
    stored = after.Tensors("net/verified/runs/after_quantization")[-1].tensor_proto.string_val[0]
    runs = {run["restored"]: run for run in json.loads(stored)["verified"]}
    assert runs["nothing"]["sqnr_db"] < 80 and runs["everything"]["sqnr_db"] is None


def test_the_board_shows_what_was_found_and_verified(logged):
    with RunningBoard("--logdir", logged) as board:
        status, answer = board.json("/api/v1/compression/layers?a=initial_graph&b=after_quantization")
    assert status == 200, answer
    assert answer["verified"]["texts"][0] == "as it is" and "everything in float" in answer["verified"]["texts"]
    layers = answer["layers"]
    alone = dict(zip(layers["names"], layers["restored_alone_db"]))
    assert alone["conv1"] > 10, "its weights, of which a stage has no row"
    place = layers["names"].index("conv1")
    assert (layers["levels"][place], layers["causes"][place]) == ("red", "wrong_scale")


def test_stages_need_a_place():
    command = [os.environ["COMPRESSION_BOARD"], "compare", "a.onnx", "b.onnx", "--stages"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "--logdir" in done.stderr
