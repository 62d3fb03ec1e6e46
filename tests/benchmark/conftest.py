"""Runs `benchmark` as a function."""

import json
import os
import subprocess
import sys

import pytest

sys.path.append(os.environ["ORACLES"])  # Searched after the packages of the test environment.


def run(folder, *arguments, timeout=300):
    command = [os.environ["COMPRESSION_BOARD"], "benchmark", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=folder)


@pytest.fixture
def measure(tmp_path):
    """measure(files and flags…) returns the model's entry of the JSON."""

    def call(*arguments, fails=False):
        result = run(tmp_path, *arguments, "-o", "result.json", "--json", "--no-log")
        assert (result.returncode != 0) == fails, result.stderr
        (model,) = json.loads(result.stdout).values()
        return model

    return call


@pytest.fixture
def scores(measure):
    """scores(files and flags…) returns the metrics of one file, measured as briefly as possible."""

    def call(file, *arguments):
        model = measure(file, *arguments, "--time", "0.3", "--no-memory", "--no-energy", "--no-reasons")
        return model[model["baseline_variant"]]

    return call
