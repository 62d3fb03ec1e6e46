"""Comet gets every kind of value. A module that records calls replaces comet_ml."""

import sys
import types

import numpy as np
import pytest
from compression_board import SummaryWriter


class Experiment:
    def __init__(self, **settings):
        self.settings = settings
        self.calls = []

    def __getattr__(self, name):
        return lambda *args, **kwargs: self.calls.append((name, args, kwargs))


@pytest.fixture
def experiments(monkeypatch):
    started = []

    def start(**settings):
        started.append(Experiment(**settings))
        return started[-1]

    monkeypatch.setitem(sys.modules, "comet_ml", types.SimpleNamespace(start=start))
    return started


ENABLED = {"disabled": False, "project_name": "edge"}


def test_every_kind_is_mirrored(tmp_path, experiments):
    with SummaryWriter(str(tmp_path), comet_config=ENABLED) as writer:
        writer.add_scalar("loss", 0.5, 1)
        writer.add_scalars("both", {"fp32": 1.0}, 2)
        writer.add_hparams({"bits": 8}, {"accuracy": 0.5}, name="trial")
        writer.add_histogram("weights", np.arange(4.0), 3)
        writer.add_histogram_raw("raw", 0, 1, 2, 1, 1, [0.5, 1], [1, 1], 3)
        writer.add_image("picture", np.zeros((3, 4, 4)), 4)
        writer.add_audio("sound", np.zeros(10), 5)
        writer.add_text("note", "words", 6)
        writer.add_embedding(np.zeros((2, 2)), ["a", "b"])
        writer.add_pr_curve("pr", np.array([0, 1]), np.array([0.1, 0.9]), 7)
        writer.add_mesh("mesh", np.zeros((1, 4, 3)))
    (experiment,) = experiments
    assert experiment.settings == {"project_name": "edge"}
    calls = {name: args for name, args, _ in experiment.calls}
    assert calls["log_metric"] == ("loss", 0.5, 1)
    assert calls["log_metrics"] == ({"fp32": 1.0}, "both", 2)
    assert calls["log_parameters"][0] == {"bits": 8}
    assert calls["log_histogram_3d"][1:] == ("weights", 3)
    assert calls["log_image"][0].getvalue().startswith(b"\x89PNG")
    assert calls["log_audio"][1:] == (44100, "sound")
    assert calls["log_text"] == ("words", 6)
    assert len(calls["log_curve"][1]) == 127
    assert {"log_embedding", "log_asset_data", "end"} <= set(calls)


def test_closing_ends_the_experiment_and_logging_starts_another(tmp_path, experiments, read):
    writer = SummaryWriter(str(tmp_path), comet_config=ENABLED)
    writer.add_scalar("loss", 0.5, 1)
    writer.close()
    writer.add_scalar("loss", 0.25, 2)
    writer.close()
    assert [[name for name, _, _ in e.calls] for e in experiments] == [["log_metric", "end"]] * 2
    assert read(tmp_path).scalars("loss") == [(1, 0.5), (2, 0.25)]


def test_a_disabled_comet_is_not_imported(tmp_path, experiments):
    with SummaryWriter(str(tmp_path)) as writer:
        writer.add_scalar("loss", 0.5, 1)
    assert experiments == []
