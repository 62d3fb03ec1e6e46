"""Provides `quantize` as a function, and the checks that every file must pass."""

import json
import os
import subprocess

import numpy as np
import onnx
import onnxruntime
import pytest


def run_quantize(*arguments):
    return subprocess.run(
        [os.environ["COMPRESSION_BOARD"], "quantize", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="session")
def quantize():
    """quantize(model, output, flags…) returns the report of --json."""

    def run(model, output, *flags):
        result = run_quantize(model, "-o", output, *flags, "--json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


def outputs_of(model, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(model), options, ["CPUExecutionProvider"])
    return session.run(None, feeds)


def used_names(graph):
    """Returns the tensors that nodes use, also in bodies of If and Loop, and the outputs."""
    names = {value.name for value in graph.output}
    for node in graph.node:
        names |= set(node.input)
        for attribute in node.attribute:
            if attribute.HasField("g"):
                names |= used_names(attribute.g)
    return names


def check_file(path):
    """Checks that ONNX's checker accepts the file, and that no constant in it is unused."""
    model = onnx.load(str(path))
    onnx.checker.check_model(model, full_check=True)
    used = used_names(model.graph)
    unused = [tensor.name for tensor in model.graph.initializer if tensor.name not in used]
    assert not unused
    return model


def sqnr_db(expected, found):
    expected, found = np.asarray(expected, np.float64), np.asarray(found, np.float64)
    noise = np.sum((expected - found) ** 2)
    return 200.0 if noise == 0 else 10 * np.log10(np.sum(expected**2) / noise)
