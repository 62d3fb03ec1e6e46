"""Provides the network of docs/tune.md and `tune` as a function."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["COMPRESSION_BOARD"]


def tune_command(folder, *flags):
    return [PROGRAM, "tune", str(folder / "sensors.onnx"), "--data", str(folder / "sensors.npz"),
            "-o", str(folder / "int8.onnx"), "--target", "ort-cpu", *map(str, flags)]  # fmt: skip


def run_tune(folder, *flags):
    """The finished process; `report` is its JSON, or None."""
    ended = subprocess.run(
        tune_command(folder, "--json", *flags), capture_output=True, text=True, timeout=300
    )
    ended.report = json.loads(ended.stdout) if ended.stdout else None
    return ended


@pytest.fixture
def sensors(tmp_path):
    """A folder with sensors.onnx and sensors.npz."""
    subprocess.run(
        [sys.executable, ROOT / "examples" / "tune_sensors.py"], cwd=tmp_path, check=True, timeout=120
    )
    return tmp_path
