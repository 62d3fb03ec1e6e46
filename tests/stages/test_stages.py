"""The log of StageLogger: every name, stock TensorBoard's view of it, and the responses of the
board.
"""

import json
import os
import re
import subprocess
import urllib.parse
import urllib.request

import boards
import pytest
from google.protobuf import text_format
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef

# The runs of a log, in the order of the pipeline: those of the toolkit's newest version, and
# after_folding, after_equalization and after_calibration of `compression-board quantize`.
STAGES = [
    "initial_graph", "after_graph_preparation", "after_folding",
    "pre_statistics_collection_substitutions", "after_graph_marking", "after_candidates_filtering",
    "after_equalization", "after_statistic_collection", "after_calibration",
    "thresholds_selection", "after_shift_negative_correction",
    "post_statistics_collection_substitutions", "statistics_computation",
    "after_statistics_correction", "after_activation_bias_correction", "after_bias_correction",
    "after_gptq", "after_quantization",
]  # fmt: skip
STATISTICS = ["min_per_channel", "max_per_channel", "mean_per_channel"]
NODES = {
    "initial_graph": ["Input/x", "Net/Conv2d_0/conv1", "Net/ReLU_0/relu1", "Output/fc"],
    "after_quantization": [
        "Input/x", "Input/x.activation", "Net/Conv2d_0/conv1", "Net/Conv2d_0/conv1.activation",
        "Net/Conv2d_0/conv1.weights", "Net/ReLU_0/relu1", "Net/ReLU_0/relu1.activation",
        "Output/fc", "Output/fc.activation", "Output/fc.weights"],
}  # fmt: skip
PICTURES = {
    "Weights final bit-width config",
    *(f"similarity_distance_sample_{i}" for i in range(20)),
}


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    subprocess.run([os.environ["WRITE_STAGES"], str(folder)], check=True)
    [made] = folder.iterdir()
    assert re.fullmatch(r"logs_\d{8}_\d{6}", made.name)
    assert [path.name for path in made.iterdir()] == ["tensorboard_logs"]
    return made / "tensorboard_logs"


def test_runs_are_called_as_documented(log):
    runs = {str(path.parent.relative_to(log)) for path in log.rglob("*tfevents*")}
    with_statistics = [f"{stage}/{name}" for stage in ("thresholds_selection", "after_quantization")
                       for name in STATISTICS]  # fmt: skip
    assert runs == {*STAGES, *with_statistics, "figures"}


@pytest.fixture(scope="module", params=["false", "true"], ids=["python loader", "data server"])
def stock(request, log):
    def has_loaded(board):
        tags = board.json("plugin/graphs/info")
        return len([run for run in tags if tags[run]["run_graph"]]) == len(STAGES)

    with boards.tensorboard(log, request.param, has_loaded) as board:
        yield board


@pytest.mark.parametrize("stage", NODES)
def test_tensorboard_joins_resources_to_the_graph(stock, stage):
    assert stock.json("plugin/graphs/info")[stage]["tags"]["Resources"]["profile"]
    graph = text_format.Parse(stock.ask("plugin/graphs/graph", run=stage).body, GraphDef())
    assert sorted(node.name for node in graph.node) == NODES[stage]
    answer = stock.ask("plugin/graphs/run_metadata", run=stage, tag="Resources")
    metadata = text_format.Parse(answer.body, RunMetadata())
    stats = {node.node_name: sum(memory.total_bytes for memory in node.memory)
             for device in metadata.step_stats.dev_stats for node in device.node_stats}  # fmt: skip
    # Looks up each name in the graph, like TensorBoard's page (joinStatsInfoWithGraph).
    joined = {name: size for name, size in stats.items() if name in NODES[stage]}
    assert joined == stats
    conv, fc = (224, 5130) if stage == "after_quantization" else (896, 20520)
    assert joined["Net/Conv2d_0/conv1"] == conv and joined["Output/fc"] == fc


def test_every_edge_ends_at_a_node(stock):
    graph = text_format.Parse(stock.ask("plugin/graphs/graph", run="after_quantization").body, GraphDef())
    names = {node.name for node in graph.node}
    edges = {name.partition(":")[0] for node in graph.node for name in node.input}
    assert edges and edges <= names


def test_tensorboard_shows_histograms_channels_and_pictures(stock):
    histograms = stock.json("plugin/histograms/tags")
    assert set(histograms["thresholds_selection"]) == {"conv1"}
    [[_, step, bins]] = stock.json("plugin/histograms/histograms", run="thresholds_selection", tag="conv1")
    assert step == 0 and sum(count for _, _, count in bins) == pytest.approx(20 * 64, rel=1e-6)
    scalars = stock.json("plugin/scalars/scalars", run="thresholds_selection/max_per_channel", tag="conv1")
    assert [step for _, step, _ in scalars] == [0, 1, 2, 3]
    assert max(scalars, key=lambda point: point[2])[1] == 2
    assert set(stock.json("plugin/images/tags")["figures"]) == PICTURES


@pytest.fixture(scope="module")
def board(log):
    with boards.compression_board(log, lambda board: len(board.json("runs")) > len(STAGES)) as board:
        yield board


def ask(board, path, **query):
    url = f"{board.root}/api/v1/{path}?{urllib.parse.urlencode(query)}"
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def test_the_board_knows_the_stages_in_their_order(board):
    [timeline] = ask(board, "compression/stages")["timelines"]
    assert timeline["names"] == STAGES
    assert all(timeline["has_graph"]) and all(timeline["has_resources"])
    assert timeline["bytes"][0] == 896 + 20520 and timeline["bytes"][-1] == 224 + 5130
    assert timeline["extras"] == ["figures"]


def test_the_board_names_the_channel_that_stretches_the_range(board):
    stages = ask(board, "compression/channels", layer="conv1")["stages"]
    assert [stage["stage"] for stage in stages] == ["thresholds_selection", "after_quantization"]
    assert stages[0]["channels"]["outliers"]["channels"] == [2]
    assert "channel 2 reaches" in stages[0]["channels"]["explanation"]


def test_the_board_compares_two_stages_layer_by_layer(board):
    answer = ask(board, "compression/layers", a="thresholds_selection", b="after_quantization")
    layers = answer["layers"]
    row = layers["names"].index("conv1")
    assert layers["a_tags"][row] == layers["b_tags"][row] == "conv1"
    assert 0.99 < layers["cosine"][row] < 1
    assert 30 < layers["accumulated_sqnr_db"][row] < 45
    assert (layers["levels"][row], layers["causes"][row]) == ("amber", "channel_spread")
    assert ask(board, "compression/layers", a="float", b="quantized") == answer, "as the table calls them"


def test_the_board_has_the_similarity_of_every_sample(board):
    [timeline] = ask(board, "compression/similarity")["timelines"]
    assert timeline["layers"] == ["conv1", "dead"]
    assert len(timeline["samples"]) == 20 and timeline["samples"][10] == "sample_10"
    assert all(cosines[1] == 1 for cosines in timeline["cosines"]), "two tensors of zeros are alike"


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    done = subprocess.run([os.environ["WRITE_STAGES"], str(tmp_path / "file")], capture_output=True, text=True)
    assert done.returncode == 1 and "file" in done.stderr
