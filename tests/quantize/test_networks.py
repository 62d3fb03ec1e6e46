"""Quantizes real networks from Python packages with the command."""

import os
from pathlib import Path

import numpy as np
import pytest

from conftest import check_file, outputs_of, run_quantize, sqnr_db

NETWORKS = Path(os.environ["NETWORKS"])  # Downloaded by scripts/fetch-networks.


def text_like_samples(count):
    """Rows of random glyphs on white, every second one upside down. On noise, all outputs of the network are equal, so
    that its activations stay in float."""
    random = np.random.default_rng(1)
    samples = np.ones((count, 3, 48, 192), np.float32)
    for number, sample in enumerate(samples):
        left = 6
        while left < 170:
            glyph = np.kron(random.random((6, random.integers(3, 6))) < 0.5, np.ones((5, 3)))
            sample[:, 10:40, left : left + glyph.shape[1]] -= 2 * glyph
            left += glyph.shape[1] + random.integers(3, 9)
        if number % 2:
            sample[:] = sample[:, ::-1, ::-1].copy()
    return samples


@pytest.fixture(scope="module")
def text_lines(tmp_path_factory, quantize):
    """A classifier of text lines: depthwise convolutions, squeeze-and-excitation, opset 11."""
    folder = tmp_path_factory.mktemp("text_lines")
    samples = text_like_samples(24)
    np.save(folder / "x.npy", samples)
    output = folder / "int8.onnx"
    model = NETWORKS / "text_lines.onnx"
    report = quantize(model, output, "--data", folder / "x.npy", "--target", "ort-vnni")
    return model, output, samples, report


def test_the_file_is_valid_and_small(text_lines):
    model, output, _, report = text_lines
    quantized = check_file(output)
    types = {node.op_type for node in quantized.graph.node}
    assert {"QuantizeLinear", "DequantizeLinear"} <= types
    assert "BatchNormalization" not in types
    assert report["bytes"] < 0.55 * os.path.getsize(model)


def test_every_layer_with_weights_runs_in_integers(text_lines):
    assert text_lines[3]["unfused"] == []


def test_outputs_stay_close(text_lines):
    model, output, samples, report = text_lines
    name = "x"
    for sample in samples[:4]:
        feeds = {name: sample[None]}
        expected, found = outputs_of(model, feeds)[0], outputs_of(output, feeds)[0]
        assert sqnr_db(expected, found) > 15
        assert expected.argmax() == found.argmax()
    assert report["quality"]["is_held_out"]


def test_bytes_do_not_depend_on_threads(text_lines, tmp_path, quantize):
    model, output, samples, _ = text_lines
    np.save(tmp_path / "x.npy", samples)
    again = tmp_path / "again.onnx"
    quantize(model, again, "--data", tmp_path / "x.npy", "--target", "ort-vnni", "--threads", "1")
    assert again.read_bytes() == output.read_bytes()


def test_a_quantized_model_is_refused(text_lines, tmp_path):
    _, output, _, _ = text_lines
    result = run_quantize(output, "-o", tmp_path / "twice.onnx")
    assert result.returncode == 1
    assert "already quantized" in result.stderr
    assert not (tmp_path / "twice.onnx").exists()


@pytest.mark.parametrize(
    "flags, message",
    [
        (["--bits", "w9a9"], "unknown precision 'w9a9'"),
        (["--ranges", "best"], "unknown range method 'best'"),
        (["--target", "gpu"], "unknown target 'gpu'"),
    ],
)
def test_wrong_names_list_the_right_ones(flags, message, tmp_path):
    result = run_quantize(NETWORKS / "text_lines.onnx", "-o", tmp_path / "q.onnx", *flags)
    assert result.returncode == 2
    assert message in result.stderr
