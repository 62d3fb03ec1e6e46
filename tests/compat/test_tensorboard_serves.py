"""Stock TensorBoard serves our logs on every page, with either of its loaders."""

import io
import json
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import numpy as np
import pytest
from every_kind import (
    EMBEDDING_ROWS,
    MESH_CONFIG,
    WALL_TIME,
    colors,
    images,
    matrix,
    ramp,
    sprites,
    vertices,
)
from PIL import Image

RUN = "every_kind"
LISTENING = re.compile(r"at http://127\.0\.0\.1:(\d+)/")
DEADLINE_SECONDS = 60


class Board:
    """A running TensorBoard, whose routes are requested by the names of its plugins."""

    def __init__(self, port):
        self.root = f"http://127.0.0.1:{port}/data/"

    def get(self, path, **query) -> bytes:
        url = self.root + path + "?" + urllib.parse.urlencode(query, doseq=True)
        with urllib.request.urlopen(url, timeout=30) as response:
            return response.read()

    def json(self, path, **query):
        return json.loads(self.get(path, **query))

    def post(self, path, body):
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.root + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.loads(response.read())

    def has_loaded(self) -> bool:
        try:
            tags = self.json("plugin/scalars/tags")
            # The projector begins to search its files in the background at the first request.
            projector = self.json("plugins_listing")["projector"]["enabled"]
        except urllib.error.URLError:
            return False
        complete = all("written" in tags.get(run, {}) for run in (RUN, "hostile"))
        return projector and complete and {f"{RUN}/trial_2", "hostile/trial"} <= tags.keys()


@pytest.fixture(scope="module", params=["false", "true"], ids=["python_loader", "data_server"])
def board(request, logdir):
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(logdir)]
    command += ["--host", "127.0.0.1", "--port", "0", f"--load_fast={request.param}"]
    command += ["--reload_interval", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        said = []
        for line in process.stderr:
            said.append(line)
            if found := LISTENING.search(line):
                break
        else:
            pytest.fail("TensorBoard did not start:\n" + "".join(said))
        # Reads the later output too, so that the pipe does not fill.
        threading.Thread(target=lambda: said.extend(process.stderr), daemon=True).start()
        board = Board(found[1])
        deadline = time.monotonic() + DEADLINE_SECONDS
        while not board.has_loaded():
            if time.monotonic() > deadline:
                pytest.fail("TensorBoard did not load the log directory:\n" + "".join(said))
            time.sleep(0.2)
        yield board
    finally:
        process.terminate()
        process.wait()


def test_every_run_is_listed(board):
    names = {"", "/pair/fp32", "/pair/int8", "/trial_1", "/trial_2"}
    expected = {RUN + name for name in names} | {"hostile", "hostile/trial"}
    assert set(board.json("runs")) == expected


def test_every_page_is_enabled(board):
    pages = board.json("plugins_listing")
    for page in (
        "scalars custom_scalars images audio graphs distributions histograms text pr_curves "
        "hparams mesh projector timeseries"
    ).split():
        assert pages[page]["enabled"], page


def test_scalars(board):
    points = board.json("plugin/scalars/scalars", run=RUN, tag="loss")
    expected = [[WALL_TIME + s, s, float(np.float32(1 / (s + 1)))] for s in range(10)]
    assert points == expected
    odd = board.json("plugin/scalars/scalars", run=RUN, tag="odd")
    assert [value for _, _, value in odd] == ["NaN", "Infinity", "-Infinity"]
    pair = board.json("plugin/scalars/scalars", run=f"{RUN}/pair/int8", tag="pair")
    assert pair == [[WALL_TIME + 5, 5, 0.5]]


def test_histograms_and_distributions(board):
    steps = board.json("plugin/histograms/histograms", run=RUN, tag="weights")
    assert [step for _, step, _ in steps] == [0, 1, 2]
    for _, step, buckets in steps:
        values = ramp(1000, 1000, 0.01, -5.0 + step)
        assert sum(count for _, _, count in buckets) == 1000
        filled = [bucket for bucket in buckets if bucket[2] > 0]
        assert filled[-1][1] == pytest.approx(values.max(), rel=1e-6)
    percentiles = board.json("plugin/distributions/distributions", run=RUN, tag="weights")
    for _, step, points in percentiles:
        by_basis_point = dict(points)
        assert by_basis_point[5000] == pytest.approx(step, abs=0.05)
        assert by_basis_point[10000] == pytest.approx(4.99 + step, rel=1e-6)


def individual(board, plugin, tag) -> bytes:
    """Returns the file of the only step of an image or a sound."""
    (entry,) = board.json(f"plugin/{plugin}/{plugin}", run=RUN, tag=tag, sample=0)
    assert entry["step"] == 1 and entry["wall_time"] == WALL_TIME + 1
    route = {"images": "individualImage", "audio": "individualAudio"}[plugin]
    return board.get(f"plugin/{plugin}/{route}", **dict(urllib.parse.parse_qsl(entry["query"])))


def test_images(board):
    tags = board.json("plugin/images/tags")[RUN]
    assert tags["image"]["samples"] == 1
    shown = Image.open(io.BytesIO(individual(board, "images", "image")))
    np.testing.assert_array_equal(np.asarray(shown), images()["image"][0].transpose(1, 2, 0))
    video = Image.open(io.BytesIO(individual(board, "images", "image/video")))
    assert (video.format, video.n_frames) == ("GIF", 3)


def test_audio(board):
    wav = individual(board, "audio", "sound")
    assert wav[:4] == b"RIFF" and wav[8:12] == b"WAVE"
    assert len(wav) == 44 + 1000 * 2
    samples = np.frombuffer(wav[44:], dtype="<i2") / 32768
    np.testing.assert_allclose(samples, ramp(1000, 101, 0.02, -1), atol=1.01 / 32768)


def test_text(board):
    assert "notes/text_summary" in board.json("plugin/text/tags")[RUN]
    entries = board.json("plugin/text/text", run=RUN, tag="notes/text_summary")
    assert [entry["step"] for entry in entries] == [1, 2]
    assert "<strong>int8</strong> passes" in entries[0]["text"]
    assert "größe" in entries[1]["text"] and "→" in entries[1]["text"]


def test_pr_curves(board):
    curves = board.json("plugin/pr_curves/pr_curves", tag="pr/raw", run=RUN)[RUN]
    (curve,) = curves
    # There are no predictions at the last threshold.
    assert curve["true_positives"] == [75, 64, 21, 5]
    assert curve["false_negatives"] == [0, 11, 54, 70]
    assert curve["precision"] == [0.25, 0.375, 0.5, 1]
    assert curve["thresholds"] == [0, 0.25, 0.5, 0.75]
    (computed,) = board.json("plugin/pr_curves/pr_curves", tag="pr", run=RUN)[RUN]
    assert computed["true_positives"][0] == 150
    assert computed["recall"][0] == 1


def test_meshes(board):
    assert board.json("plugin/mesh/tags")[RUN] == {"mesh": {"samples": 1}, "points": {"samples": 1}}
    parts = board.json("plugin/mesh/meshes", run=RUN, tag="mesh")
    assert sorted(part["content_type"] for part in parts) == [1, 2, 3]
    assert all(json.loads(part["config"]) == MESH_CONFIG for part in parts)

    def data(content_type):
        query = {"run": RUN, "tag": "mesh", "sample": 0, "step": 1}
        return board.get("plugin/mesh/data", **query, content_type=content_type)

    np.testing.assert_array_equal(np.frombuffer(data("VERTEX"), "<f4"), vertices().reshape(-1))
    assert np.frombuffer(data("FACE"), "<i4").tolist() == [0, 1, 2, 0, 2, 3]
    np.testing.assert_array_equal(np.frombuffer(data("COLOR"), "u1"), colors().reshape(-1))


def test_custom_scalars(board):
    layout = board.json("plugin/custom_scalars/layout")
    category = layout["category"][0]
    assert category["title"] == "quality"
    assert category["chart"][0] == {"title": "curves", "multiline": {"tag": ["loss", "pair"]}}
    series = {"value": "loss", "lower": "odd", "upper": "labelled"}
    assert category["chart"][1] == {"title": "band", "margin": {"series": [series]}}
    found = board.json("plugin/custom_scalars/scalars", run=RUN, tag="lo.*")
    assert found["regex_valid"] is True
    assert [step for _, step, _ in found["tag_to_events"]["loss"]] == list(range(10))


def test_hparams(board):
    experiment = board.post("plugin/hparams/experiment", {"experimentName": ""})
    # TensorBoard shows the columns of the run that it finds first.
    columns = {info["name"] for info in experiment["hparamInfos"]}
    assert columns in ({"lr"}, {"lr", "bits", "symmetric", "observer"}, {"bad\ufffd\ufffd"})
    metric = {"group": "", "tag": "hparam/accuracy"}
    groups = board.post(
        "plugin/hparams/session_groups",
        {
            "allowedStatuses": ["STATUS_SUCCESS", "STATUS_UNKNOWN"],
            "colParams": [{"hparam": "lr", "order": "ORDER_ASC"}, {"metric": metric}],
            "startIndex": 0,
            "sliceSize": 10,
        },
    )
    trials = {group["name"]: group for group in groups["sessionGroups"]}
    assert len(trials) == 3
    first, second = (
        next(group for group in trials.values() if group["hparams"].get("lr") == lr)
        for lr in (0.125, 0.25)
    )
    assert first["hparams"] == {"lr": 0.125}
    assert second["hparams"] == {"lr": 0.25, "bits": 8, "symmetric": True, "observer": "minmax"}
    values = {m["name"]["tag"]: m["value"] for m in second["sessions"][0]["metricValues"]}
    assert values["hparam/accuracy"] == 0.5
    assert second["sessions"][0]["status"] == "STATUS_SUCCESS"


def test_graphs(board):
    info = board.json("plugin/graphs/info")[RUN]
    assert info["run_graph"] is True
    assert info["tags"]["memory"]["profile"] is True
    graph = board.get("plugin/graphs/graph", run=RUN).decode()
    assert 'name: "net/conv"' in graph and 'input: "net/x"' in graph
    metadata = board.get("plugin/graphs/run_metadata", run=RUN, tag="memory").decode()
    assert 'node_name: "net/conv"' in metadata and "total_bytes: 4096" in metadata


def test_projector(board):
    assert sorted(board.json("plugin/projector/runs")) == [RUN, "hostile"]
    embeddings = board.json("plugin/projector/info", run=RUN)["embeddings"]
    by_name = {embedding["tensorName"]: embedding for embedding in embeddings}
    assert by_name["net/out:00007"]["tensorShape"] == [4, 3]
    assert by_name["default:00000"]["tensorShape"] == [6, 2]
    assert by_name["net/out:00007"]["sprite"]["singleImageDim"] == [2, 2]

    query = {"run": RUN, "name": "net/out:00007"}
    tensor = np.frombuffer(board.get("plugin/projector/tensor", **query), "<f4")
    np.testing.assert_array_equal(tensor, matrix())
    rows = board.get("plugin/projector/metadata", **query).decode().splitlines()
    assert rows == ["name\tclass"] + ["\t".join(row) for row in EMBEDDING_ROWS]
    sprite = Image.open(io.BytesIO(board.get("plugin/projector/sprite_image", **query)))
    tile = (sprites()[3] * 255).astype(np.uint8).transpose(1, 2, 0)
    np.testing.assert_array_equal(np.asarray(sprite.convert("RGB"))[2:, 2:], tile)


def test_names_that_are_not_utf8_are_shown(board):
    bad = "bad\ufffd\ufffd"
    (curve,) = board.json("plugin/pr_curves/pr_curves", tag=f"{bad}/pr", run="hostile")["hostile"]
    assert curve["true_positives"][0] == 1
    (entry,) = board.json("plugin/text/text", run="hostile", tag=f"{bad}/text/text_summary")
    assert bad in entry["text"]
