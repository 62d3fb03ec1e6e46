"""Common code of the tests: reads a run's events with stock TensorBoard."""

import subprocess
import sys

import pytest
from compression_board import TuningLogger
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


class Run:
    def __init__(self, path):
        self.path = path
        everything = {kind: 0 for kind in ("scalars", "histograms", "images", "audio", "tensors")}
        self.events = EventAccumulator(str(path), size_guidance=everything)
        self.events.Reload()

    def scalars(self, tag):
        return [(event.step, event.value) for event in self.events.Scalars(tag)]

    def tags(self, kind="scalars"):
        return set(self.events.Tags()[kind])


@pytest.fixture
def read():
    return Run


@pytest.fixture
def python(tmp_path):
    """Runs a program in a separate process, in `tmp_path`, and returns its output."""

    def run(code, cwd=None, check=True):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=cwd or tmp_path, capture_output=True, text=True
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture
def logger(tmp_path, monkeypatch):
    """Returns a logger of trials below `tmp_path`, which is the current directory meanwhile."""
    monkeypatch.chdir(tmp_path)
    with TuningLogger() as logger:
        yield logger
