"""--verify restores weights and quantizers inside If, Loop and Scan; ONNX Runtime, on files that
were created with these weights, is the oracle."""

import numpy as np
import onnx
import pytest
from body_models import SIZE, branches, dynamic, loop_and_scan, matrix, nested
from recurrent_models import Codes, session, sqnr_db


def answers(path, data):
    """Returns ONNX Runtime's output for each sample."""
    model = session(onnx.load(str(path)))
    with np.load(data) as loaded:
        samples = zip(*(loaded[name] for name in loaded))
        rows = [dict(zip(loaded, map(np.asarray, sample))) for sample in samples]
    return np.stack([model.run(["y"], row)[0] for row in rows])


def broken_codes(weights, name):
    """Returns codes of all weights, one of which has a wrong scale."""
    codes = {each: Codes(values, 1) for each, values in weights.items()}
    codes[name].scale = (codes[name].scale * np.float32(0.5)).astype(np.float32)
    return codes


def check_verified(report, layer, fp32, restored, data):
    """A run with restored weights of `layer` gives the same result as a file with these weights."""
    run = next(run for run in report["verified"] if run["restored"] == "parts")
    assert run["parts"] == [{"layer": layer, "part": "weight"}]
    expected = sqnr_db(answers(fp32, data), answers(restored, data))
    assert run["sqnr_db"] == pytest.approx(expected, abs=0.05)
    assert run["sqnr_db"] > report["verified"][0]["sqnr_db"] + 10
    everything = next(run for run in report["verified"] if run["restored"] == "everything")
    assert everything["sqnr_db"] is None or everything["sqnr_db"] > 100


@pytest.mark.parametrize("name", ["repeat", "walk"])
def test_weights_in_loops_and_scans_are_restored(compare, tmp_path, name):
    weights = {"repeat.weight": matrix(4), "walk.weight": matrix(5)}
    codes = broken_codes(weights, f"{name}.weight")
    fp32 = loop_and_scan(tmp_path / "fp32.onnx", weights)
    int8 = loop_and_scan(tmp_path / "int8.onnx", weights, codes)
    sound = {each: code for each, code in codes.items() if each != f"{name}.weight"}
    restored = loop_and_scan(tmp_path / "restored.onnx", weights, sound)
    data = tmp_path / "samples.npz"
    np.savez(data, x=np.random.default_rng(9).normal(size=(5, 1, SIZE)).astype(np.float32))
    report = compare(fp32, int8, "--data", data, "--verify")
    assert report["verified_layers"] == ["walk"]
    check_verified(report, f"{name}/body/step", fp32, restored, data)


LAYER_OF = {
    "own": "repeat/body/choose/then_branch/product",
    "middle": "repeat/body/mix",
    "outer": "repeat/body/choose/else_branch/product",
}


@pytest.mark.parametrize("name", LAYER_OF)
def test_weights_of_bodies_in_bodies_are_restored(compare, tmp_path, name):
    weights = {each: matrix(20 + i) / 4 for i, each in enumerate(LAYER_OF)}
    codes = broken_codes(weights, name)
    fp32 = nested(tmp_path / "fp32.onnx", weights, {})
    int8 = nested(tmp_path / "int8.onnx", weights, codes)
    sound = {each: code for each, code in codes.items() if each != name}
    restored = nested(tmp_path / "restored.onnx", weights, sound)
    data = tmp_path / "samples.npz"
    x = np.random.default_rng(9).normal(size=(6, 1, SIZE)).astype(np.float32)
    np.savez(data, x=x, condition=np.arange(6) % 2 == 0)
    report = compare(fp32, int8, "--data", data, "--verify")
    check_verified(report, LAYER_OF[name], fp32, restored, data)


def test_activations_in_bodies_are_float_with_all_outputs(compare, tmp_path):
    weights = {each: matrix(20 + i) / 4 for i, each in enumerate(LAYER_OF)}
    codes = {each: Codes(values, 1) for each, values in weights.items()}
    fp32 = nested(tmp_path / "fp32.onnx", weights, {})
    int8 = nested(tmp_path / "int8.onnx", weights, codes, activation=0.2)
    without = nested(tmp_path / "without.onnx", weights, codes)
    data = tmp_path / "samples.npz"
    x = np.random.default_rng(9).normal(size=(4, 1, SIZE)).astype(np.float32)
    np.savez(data, x=x, condition=np.ones(4, bool))
    runs = {run["restored"]: run for run in compare(fp32, int8, "--data", data, "--verify")["verified"]}
    expected = sqnr_db(answers(fp32, data), answers(without, data))
    assert runs["all_outputs"]["sqnr_db"] == pytest.approx(expected, abs=0.05)
    assert runs["everything"]["sqnr_db"] is None or runs["everything"]["sqnr_db"] > 100


def test_dynamic_quantization_is_undone_in_branches_too(compare, tmp_path):
    fp32 = branches(tmp_path / "fp32.onnx", matrix(2), matrix(3), outer=False)
    int8 = dynamic(fp32, tmp_path / "int8.onnx", per_channel=True)
    data = tmp_path / "samples.npz"
    x = np.random.default_rng(9).normal(size=(4, 1, SIZE)).astype(np.float32)
    np.savez(data, x=x, condition=np.arange(4) % 2 == 0)
    report = compare(fp32, int8, "--data", data, "--verify")
    runs = {run["restored"]: run for run in report["verified"]}
    assert report["verified_layers"] == ["choose"]
    assert runs["nothing"]["sqnr_db"] < 60
    assert runs["everything"]["sqnr_db"] is None or runs["everything"]["sqnr_db"] > 100
    assert not any("--verify" in remark for remark in report["remarks"])
