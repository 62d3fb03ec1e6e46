"""Every random network quantizes to a file that is valid, runs and is close to the float network.
"""

import os

import numpy as np

import random_graphs
from conftest import check_file, outputs_of, sqnr_db

# scripts/test-deep sets 500.
COUNT = int(os.environ.get("RANDOM_GRAPHS", "40"))
TARGETS = ["ort-cpu", "ort-vnni", "tensorrt", "openvino"]


def test_random_graphs_quantize_and_run(tmp_path, quantize):
    qualities = []
    for seed in range(COUNT):
        model, output = tmp_path / f"{seed}.onnx", tmp_path / f"{seed}_int8.onnx"
        samples = random_graphs.make(seed, model)
        np.save(tmp_path / "x.npy", samples)
        flags = ["--data", tmp_path / "x.npy", "--target", TARGETS[seed % 4], "--threads", "1"]
        report = quantize(model, output, *flags)
        check_file(output)
        expected = outputs_of(model, {"x": samples[:1]})
        found = outputs_of(output, {"x": samples[:1]})
        assert len(found) == len(expected)
        for before, after in zip(expected, found):
            assert after.shape == before.shape, seed
            assert np.isfinite(after).all(), seed
            qualities.append(sqnr_db(before, after))
        assert report["bytes"] == os.path.getsize(output)
    # A few of these networks cannot be quantized well; the others can.
    assert np.median(qualities) > 25
    assert np.mean(np.array(qualities) > 10) > 0.9
