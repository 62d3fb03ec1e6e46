"""Tests the walk-through of docs/tuning.md: why does tune_1 have such a low accuracy?"""

import os
import subprocess

import pytest


@pytest.fixture
def two_runs(board, trials):
    """Starts the board as the guide does, with baseline and tune_1."""
    spec = ",".join(f"{name}:{trials[name].directory}/" for name in ("baseline", "tune_1"))
    return board("--bind_all", "--logdir_spec", spec)


def test_quantizing_ruins_the_network_and_keeping_one_layer_saves_it(trials):
    baseline, tune_1, tune_2 = (trials[n].accuracy for n in ("baseline", "tune_1", "tune_2"))
    assert baseline > 0.85
    assert tune_1 < 0.4
    assert tune_2 > baseline - 0.02


def test_the_tuning_page_shows_the_fall(two_runs, trials):
    (timeline,) = two_runs.ask("compression/tuning")["timelines"]
    assert timeline["numbers"] == [0, 1]
    assert timeline["accuracies"] == [trials["baseline"].accuracy, trials["tune_1"].accuracy]
    assert timeline["changes"][1] == pytest.approx(
        trials["tune_1"].accuracy - trials["baseline"].accuracy
    )


def test_the_layers_page_names_the_first_convolution(two_runs):
    worst = two_runs.layers("baseline", "tune_1")[0]
    assert (worst["names"], worst["roles"]) == ("conv1", "output")
    assert (worst["levels"], worst["causes"]) == ("red", "over_clipped")
    assert (worst["a_tags"], worst["b_tags"]) == ("conv1/Output/fp32", "conv1/Output/int8")
    assert worst["fallback_operations"] == "conv1"


def test_the_first_layer_that_is_bad_is_the_culprit(two_runs):
    outputs = [
        layer for layer in two_runs.layers("baseline", "tune_1") if layer["roles"] == "output"
    ]
    in_order = sorted(outputs, key=lambda layer: layer["depths"])
    assert [layer["names"] for layer in in_order] == ["conv1", "conv2", "pool", "conv3", "fc"]


def test_it_is_not_the_weights(two_runs):
    weights = [
        layer for layer in two_runs.layers("baseline", "tune_1") if layer["roles"] == "weight"
    ]
    assert {layer["names"] for layer in weights} == {"conv1", "conv2", "conv3", "fc"}
    assert {layer["levels"] for layer in weights} == {"green"}


def test_its_two_histograms_differ_on_one_axis(two_runs):
    worst = two_runs.layers("baseline", "tune_1")[0]
    series = [["baseline/.", worst["a_tags"], None], ["tune_1/.", worst["b_tags"], None]]
    overlay = two_runs.post("histograms/overlay", {"series": series, "bins": 50})
    fp32, int8 = overlay["series"]
    assert fp32["num"] == int8["num"]  # The same images passed through both models.
    assert fp32["max"] > 10 * int8["max"]
    # All values of int8 are in the first of fifty bins, most of fp32 are beyond them.
    assert sum(int8["counts"][:3]) == pytest.approx(int8["num"])
    assert sum(fp32["counts"][:3]) < 0.5 * fp32["num"]


def test_keeping_that_layer_in_fp32_brings_the_accuracy_back(board, trials):
    answers = board("--logdir", trials["baseline"].directory.parents[1])
    (timeline,) = answers.ask("compression/tuning")["timelines"]
    assert timeline["best"] == 2
    assert timeline["setting_changes"][2] == [
        {"name": "keep_fp32", "from": "nothing", "to": "conv1"}
    ]
    layers = answers.layers("baseline", "tune_2")
    assert "red" not in {layer["levels"] for layer in layers}
    (conv1,) = [
        layer for layer in layers if (layer["names"], layer["roles"]) == ("conv1", "output")
    ]
    assert conv1["b_tags"] == "conv1/Output/fp32"
    assert conv1["severities"] == 0


def test_the_command_line_lists_the_same_runs(trials):
    folder = trials["baseline"].directory.parents[1]
    listed = subprocess.run(
        [os.environ["COMPRESSION_BOARD"], "inspect", "--logdir", str(folder)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    for trial in trials.values():
        assert f"eval/{trial.directory.name}" in listed
