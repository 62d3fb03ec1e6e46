"""Our reader's description of a model file, to compare with other readers."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest


class Dump:
    """The output of dump_model: `nodes` and `tensors` by name, `values(name)` as numpy."""

    def __init__(self, listing: dict, directory: Path):
        self.listing = listing
        self.nodes = {node["name"]: node for node in listing["nodes"]}
        self.tensors = {tensor["name"]: tensor for tensor in listing["tensors"]}
        self.ops = [node["op_type"] for node in listing["nodes"]]
        self._files = {
            tensor["name"]: directory / f"{i}.f32" for i, tensor in enumerate(listing["tensors"])
        }

    def values(self, name: str) -> np.ndarray:
        flat = np.fromfile(self._files[name], np.float32)
        shape = self.tensors[name]["shape"]
        return flat.reshape(shape) if -1 not in shape else flat


def run_dump(*arguments) -> subprocess.CompletedProcess:
    program = os.environ.get("DUMP_MODEL")
    if not program:
        pytest.fail("set DUMP_MODEL to the program built from dump_model.cc")
    return subprocess.run(
        [program, *map(str, arguments)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=300,
    )


@pytest.fixture
def dump(tmp_path_factory):
    def run(path, *shapes) -> Dump:
        directory = tmp_path_factory.mktemp("weights")
        result = run_dump(path, directory, *shapes)
        assert result.returncode == 0, result.stderr
        assert result.stderr == ""
        return Dump(json.loads(result.stdout), directory)

    return run


@pytest.fixture
def refusal():
    """Returns the error message for a file that must not open."""

    def run(path) -> str:
        result = run_dump(path)
        assert result.returncode == 1, f"exit code {result.returncode}: {result.stderr}"
        return result.stderr

    return run
