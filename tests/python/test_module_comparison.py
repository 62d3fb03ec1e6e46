"""compare() for PyTorch modules, with the PyTorch of the system."""

import pytest
import torch
from compression_board import compare
from observed_models import fx_quantized, IMAGES, quantized, seeded, Simple


def sqnr_db(reference, other):
    error = ((reference - other) ** 2).sum()
    return float(10 * torch.log10((reference**2).sum() / error))


def eager_pair():
    return seeded(), quantized(), {"conv1", "block.0", "fc"}


def fx_pair():
    return seeded(Simple), fx_quantized(seeded(Simple)), {"conv1", "fc"}


@pytest.mark.parametrize("pair", [eager_pair, fx_pair])
def test_quantized_modules_are_compared_under_their_names(pair):
    baseline, variant, names = pair()
    with torch.no_grad():
        expected = sqnr_db(baseline(IMAGES), variant(IMAGES))
    rows = compare(baseline, variant, IMAGES)
    layers = {row["name"]: row for row in rows}
    assert names <= set(layers)
    assert rows.samples == len(IMAGES)
    assert layers["fc"]["bits"] == 8
    (output,) = rows.details["verdict"]["outputs"]
    assert output["sqnr_db"] == pytest.approx(expected, abs=0.05)


def test_a_module_is_the_same_after_a_comparison():
    model = seeded()
    model.train()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    rows = compare(model, seeded(), IMAGES)
    assert {row["level"] for row in rows} == {"green"}
    assert model.training and not any(module._forward_hooks for module in model.modules())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_modules_without_a_batch_and_mixed_arguments_are_errors(tmp_path):
    with pytest.raises(ValueError, match="pass batch, a batch of inputs"):
        compare(seeded(), seeded())
    with pytest.raises(ValueError, match="two model files, or two PyTorch modules and a batch"):
        compare(seeded(), tmp_path / "net.onnx", IMAGES)
    with pytest.raises(ValueError, match="work with model files only"):
        compare(seeded(), seeded(), IMAGES, verify=2)
