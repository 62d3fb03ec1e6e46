"""The digits network with weights that PyTorch has pruned, in float and in int8."""

import re

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from conftest import run_compare
from digits_models import LAYERS, Editor

prune = pytest.importorskip("torch.nn.utils.prune")


def pruned_by(method, values):
    """Returns `values` after a pruning method of PyTorch. Converts through lists, because numpy and
    PyTorch cannot exchange arrays here.
    """
    import torch

    torch.manual_seed(3)
    kept = method.prune(torch.tensor(values.tolist()))
    return np.array(kept.tolist(), np.float32)


def save_pruned(fp32, path, methods):
    model = Editor(fp32)
    for layer, method in methods.items():
        name = f"{layer}.weight"
        model.set(name, pruned_by(method, model.get(name)))
    return model.save(path)


def sqnr_of(fp32, path, layer):
    x, y = (
        numpy_helper.to_array(
            next(t for t in onnx.load(str(p)).graph.initializer if t.name == f"{layer}.weight")
        ).astype(np.float64)
        for p in (fp32, path)
    )
    return 10 * np.log10((x**2).sum() / ((x - y) ** 2).sum())


def layer_of(report, name):
    (layer,) = [each for each in report["layers"] if name in each["name"]]
    return layer


def test_half_of_the_weights_is_pruned_and_nothing_is_broken(digits, compare, tmp_path):
    path = save_pruned(
        digits.fp32, tmp_path / "pruned.onnx", {name: prune.L1Unstructured(0.5) for name in LAYERS}
    )
    report = compare(digits.fp32, path, "--data", digits.data)
    assert report["variant_name"] == "pruned"
    for name in LAYERS:
        layer = layer_of(report, name)
        assert (layer["level"], layer["cause"]) == ("amber", "pruned")
        assert layer["pruned_share"] == pytest.approx(0.5, abs=0.01)
        assert layer["weight"]["sqnr_db"] == pytest.approx(sqnr_of(digits.fp32, path, name), abs=1e-6)
        assert layer["explanation"].endswith("the others are as they were")
        # These are already the smallest values.
        assert not any("as many" in fix["action"] for fix in layer["fixes"])
    (remark,) = [each for each in report["remarks"] if "pruned" in each]
    assert re.match(r"4 layers are pruned: 50(\.\d)? % of their weights are 0 and were not\.", remark)
    assert "the file is no smaller" in remark
    assert not any(snippet for snippet in report["keep_float"].values())


def test_the_layer_that_lost_the_wrong_weights_comes_first_with_what_others_would_cost(
    digits, compare, tmp_path
):
    methods = {name: prune.L1Unstructured(0.1) for name in LAYERS}
    path = save_pruned(
        digits.fp32, tmp_path / "random.onnx", methods | {"conv3": prune.RandomUnstructured(0.4)}
    )
    report = compare(digits.fp32, path, "--data", digits.data)
    worst = report["layers"][0]
    assert "conv3" in worst["name"] and worst["cause"] == "pruned"
    predicted = {fix["action"]: fix["sqnr_db"] for fix in worst["fixes"]}
    # With the recommended fix, the network has the predicted accuracy.
    as_many = save_pruned(
        digits.fp32, tmp_path / "smallest.onnx", {"conv3": prune.L1Unstructured(0.4)}
    )
    assert predicted["prune as many, but the smallest ones"] == pytest.approx(
        sqnr_of(digits.fp32, as_many, "conv3"), abs=0.1
    )
    ((action, sqnr),) = [item for item in predicted.items() if "instead of" in item[0]]
    share, before = map(float, re.match(r"prune (\S+) % instead of (\S+) %", action).groups())
    assert before == pytest.approx(40, abs=0.2)
    fewer = save_pruned(
        digits.fp32, tmp_path / "fewer.onnx", {"conv3": prune.L1Unstructured(share / 100)}
    )
    assert sqnr == pytest.approx(20, abs=0.1)
    assert sqnr == pytest.approx(sqnr_of(digits.fp32, fewer, "conv3"), abs=0.2)


@pytest.mark.parametrize("per_channel", [False, True])
def test_what_was_pruned_and_quantized_is_told_apart(digits, compare, tmp_path, per_channel):
    path = save_pruned(
        digits.fp32, tmp_path / "pruned.onnx", {name: prune.L1Unstructured(0.5) for name in LAYERS}
    )
    int8 = tmp_path / "int8.onnx"
    digits.quantize(path, int8, per_channel=per_channel)
    report = compare(digits.fp32, int8, "--data", digits.data)
    for name in LAYERS:
        layer = layer_of(report, name)
        assert (layer["level"], layer["cause"]) == ("amber", "pruned")
        # Pruning of weights that round to zero anyway cannot be detected.
        assert 0.4 < layer["pruned_share"] <= 0.51
        assert float(re.search(r"have an SQNR of (\S+) dB", layer["explanation"])[1]) > 35
    # Compared with the pruned model, nothing was pruned.
    report = compare(path, int8, "--data", digits.data)
    assert not any(layer["pruned_share"] for layer in report["layers"])
    assert not any(layer["level"] == "red" for layer in report["layers"])


def test_zeros_that_are_left_out_of_the_file(digits, compare, tmp_path):
    """Writes sparse weights like ONNX Runtime's sparsifier, which also runs both files and so is
    the oracle for our reader.
    """
    pruned = save_pruned(
        digits.fp32, tmp_path / "pruned.onnx", {name: prune.L1Unstructured(0.9) for name in LAYERS}
    )
    model = onnx.load(str(pruned))
    kept = [tensor for tensor in model.graph.initializer if "weight" not in tensor.name]
    for tensor in model.graph.initializer:
        if tensor in kept:
            continue
        values = numpy_helper.to_array(tensor).reshape(-1)
        where = np.flatnonzero(values)
        model.graph.sparse_initializer.append(
            onnx.helper.make_sparse_tensor(
                numpy_helper.from_array(values[where], tensor.name),
                numpy_helper.from_array(where.astype(np.int64)),
                tensor.dims,
            )
        )
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    model.ir_version = max(model.ir_version, 7)
    onnx.save(model, str(tmp_path / "sparse.onnx"))
    report = compare(pruned, tmp_path / "sparse.onnx", "--data", digits.data)
    assert report["samples"] == 20
    for name in LAYERS:
        layer = layer_of(report, name)
        assert layer["weight"]["mse"] == 0 and layer["accumulated"]["mse"] == 0
        assert layer["variant_bytes"] < 0.5 * layer["baseline_bytes"]
    assert [share for share in report["bytes"] if share["what"] == "weights, float32, sparse"]
    # Compared with the float model, the file is smaller, and no note says the opposite.
    report = compare(digits.fp32, tmp_path / "sparse.onnx", "--data", digits.data)
    (remark,) = [each for each in report["remarks"] if "pruned" in each]
    assert remark.endswith("of their weights are 0 and were not.")
    # Dense weights may replace sparse ones.
    report = compare(digits.fp32, tmp_path / "sparse.onnx", "--data", digits.data, "--verify")
    kept = {run["restored"]: run["sqnr_db"] for run in report["verified"] if not run["why_not"]}
    assert kept["all_weights"] is None or kept["all_weights"] > 100
    assert kept["nothing"] < 20


def test_a_broken_scale_is_found_among_pruned_layers(digits, compare, tmp_path):
    path = save_pruned(
        digits.fp32, tmp_path / "pruned.onnx", {name: prune.L1Unstructured(0.3) for name in LAYERS}
    )
    int8 = tmp_path / "int8.onnx"
    digits.quantize(path, int8)
    model = Editor(int8)
    model.set("conv2.weight_scale", model.get("conv2.weight_scale") * 3)
    report = compare(digits.fp32, model.save(tmp_path / "broken.onnx"), "--data", digits.data)
    worst = report["layers"][0]
    assert "conv2" in worst["name"] and worst["level"] == "red"
    assert [layer["name"] for layer in report["layers"] if layer["level"] == "red" and layer["weight"]] == [worst["name"]]


def test_in_words(digits, tmp_path):
    path = save_pruned(digits.fp32, tmp_path / "pruned.onnx", {"conv2": prune.L1Unstructured(0.6)})
    told = run_compare(digits.fp32, path, "--samples", "0").stdout
    assert "One layer is pruned: 60 % of its weights are 0 and were not." in told
    assert "1 amber" in told and "0 red" in told
    assert "To keep the red layers" not in told


def without_channels(fp32, path, layers):
    """Removes every fourth channel of these layers, with the inputs of the next layer that used it.
    """
    model = Editor(fp32)
    for layer in layers:
        kept = [channel for channel in range(16 if layer != "conv1" else 8) if channel % 4]
        following = LAYERS[LAYERS.index(layer) + 1]
        for name, axis in ((f"{layer}.weight", 0), (f"{layer}.bias", 0), (f"{following}.weight", 1)):
            values = model.get(name)
            if axis == 1 and following == "head":  # Its inputs are 4 x 4 values of each channel.
                kept = [16 * channel + place for channel in kept for place in range(16)]
            tensor = numpy_helper.from_array(np.ascontiguousarray(values.take(kept, axis)), name)
            model.constants[name].CopyFrom(tensor)
    return model.save(path)


def test_layers_that_lost_channels_are_named(digits, compare, tmp_path):
    path = without_channels(digits.fp32, tmp_path / "smaller.onnx", ["conv2"])
    report = compare(digits.fp32, path, "--data", digits.data)
    assert report["remarks"] == [
        "2 layers have another size and are not compared, as where channels were removed: "
        "'/conv2/Conv' from [16, 8, 3, 3] to [12, 8, 3, 3], "
        "'/conv3/Conv' from [16, 16, 3, 3] to [16, 12, 3, 3]."
    ]
    assert sum(bool(layer["weight"]) for layer in report["layers"]) == 2


def test_where_all_layers_lost_channels_the_error_says_so(digits, tmp_path):
    path = without_channels(digits.fp32, tmp_path / "smaller.onnx", ["conv1", "conv2", "conv3"])
    told = run_compare(digits.fp32, path)
    assert told.returncode == 1
    assert "4 layers have another size and are not compared, as where channels were removed" in told.stderr
    assert "'/conv1/Conv' from [8, 1, 3, 3] to [6, 1, 3, 3]" in told.stderr
    assert told.stderr.rstrip().endswith(", …")
