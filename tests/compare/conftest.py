"""Provides the digits network and its good quantization, created once, and `compare` as a function.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import digits_models


def run_compare(*arguments):
    return subprocess.run(
        [os.environ["COMPRESSION_BOARD"], "compare", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture(scope="session")
def compare():
    """compare(baseline, variant, flags…) returns the output of --json."""

    def run(*arguments):
        result = run_compare(*arguments, "--json")
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""
        return json.loads(result.stdout)

    return run


class Digits:
    def __init__(self, folder: Path):
        self.folder = folder
        self.fp32 = folder / "digits.onnx"
        csv = Path(os.environ["DIGITS"])  # Created by scripts/fetch-digits.
        self.images, self.labels = digits_models.train(csv, self.fp32)
        self.data = folder / "images.npz"
        np.savez(self.data, image=self.images[:100])
        self.int8 = folder / "int8.onnx"
        self.quantize(self.fp32, self.int8)

    def quantize(self, fp32, int8, **options):
        digits_models.quantize(fp32, int8, self.images[:100], **options)


@pytest.fixture(scope="session")
def digits(tmp_path_factory):
    return Digits(tmp_path_factory.mktemp("digits"))
