"""The pages show a log that the Model Compression Toolkit itself wrote like our own logs."""

import json
import os
import subprocess
import urllib.request
from pathlib import Path

import boards
import pytest
from test_stages import ask

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    environment = os.environ["TOOLKIT_FOLDER"]
    made = subprocess.run([HERE / "toolkit_environment", environment], capture_output=True, text=True)
    if made.returncode != 0:
        pytest.skip(f"the toolkit cannot be installed here: {made.stderr[-300:]}")
    folder = tmp_path_factory.mktemp("toolkit")
    command = [f"{environment}/bin/python", HERE / "quantize_with_toolkit.py", str(folder)]
    without = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, env=without)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def board(log):
    count = len({path.parent for path in log.rglob("*tfevents*")})
    with boards.compression_board(log, lambda board: len(board.json("runs")) == count) as board:
        yield board


def test_its_stages_are_found_in_order(board):
    [timeline] = ask(board, "compression/stages")["timelines"]
    assert timeline["model"].startswith("logs_")
    assert timeline["names"] == [
        "initial_graph", "after_graph_preparation", "pre_statistics_collection_substitutions",
        "after_graph_marking", "after_candidates_filtering", "after_statistic_collection",
        "thresholds_selection", "post_statistics_collection_substitutions",
        "statistics_computation", "after_statistics_correction"]  # fmt: skip
    assert all(timeline["has_graph"])
    assert timeline["bytes"][0] == 896 + 4672 + 31400
    assert timeline["bytes"][-1] < timeline["bytes"][0] / 3
    assert [name.rpartition("/")[2] for name in timeline["extras"]] == ["figures"]


def test_its_left_edged_histograms_lie_where_the_values_are(board):
    answer = ask(board, "compression/layers", a="thresholds_selection",
                 b="post_statistics_collection_substitutions")  # fmt: skip
    layers = answer["layers"]
    assert {"x", "relu1", "relu2", "fc"} <= set(layers["names"]) and answer["problems"] == []
    channels = ask(board, "compression/channels", layer="x")["stages"][0]["channels"]
    # Outputs of a ReLU: none may be shown below zero, nor above the values of the channels.
    run = layers["a_runs"][layers["names"].index("x")]
    body = {"series": [[run, "relu1", None], [run, "x", None]], "bins": 64}
    request = urllib.request.Request(f"{board.root}/api/v1/histograms/overlay", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})  # fmt: skip
    with urllib.request.urlopen(request, timeout=60) as answer:
        relu1, x = json.load(answer)["series"]
    assert relu1["min"] == 0
    assert x["max"] == pytest.approx(max(channels["max"]), rel=0.01)
    assert x["min"] == pytest.approx(min(channels["min"]), rel=0.01)


def test_its_pictures_are_on_the_page_of_images(board):
    tags = board.json("plugin/images/tags")
    [figures] = [run for run in tags if run.endswith("/figures")]
    assert len([tag for tag in tags[figures] if tag.startswith("similarity_distance_sample_")]) == 20
