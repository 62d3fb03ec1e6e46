"""Tests the logs of observed PyTorch models: eager, FX, scripted and traced, float and quantized."""

import logging

import pytest
import torch
from compression_board.tuning import fused_modules
from observed_models import (
    evaluate,
    figures,
    fused,
    fx_quantized,
    histograms,
    IMAGES,
    quantized,
    seeded,
    Simple,
)
from torch import nn

def without_statistics(tags):
    return {tag for tag in tags if "num_batches_tracked" not in tag and "running_" not in tag}


def test_a_float_model_as_it_is(logger, read):
    found = without_statistics(histograms(read, evaluate(logger, seeded())))
    assert found == {
        "quant/Output/fp32", "conv1/Output/fp32", "bn1/Output/fp32", "relu1/Output/fp32",
        "block.0/Output/fp32", "block.1/Output/fp32", "add/Output/fp32", "fc/Output/fp32",
        "dequant/Output/fp32", "conv1/weight/fp32", "conv1/bias/fp32", "bn1/weight/fp32",
        "bn1/bias/fp32", "block.0/weight/fp32", "block.0/bias/fp32", "fc/weight/fp32",
        "fc/bias/fp32",
    }  # fmt: skip


def test_a_fused_model_logs_the_last_output_under_the_name_of_the_group(logger, read):
    model = fused()
    found = histograms(read, evaluate(logger, model))
    # bn1, relu1 and block.1 are Identity now, and the convolutions contain numbered children.
    assert set(found) == {
        "quant/Output/fp32", "conv1/Output/fp32", "block.0/Output/fp32", "add/Output/fp32",
        "fc/Output/fp32", "dequant/Output/fp32", "conv1/weight/fp32", "conv1/bias/fp32",
        "block.0/weight/fp32", "block.0/bias/fp32", "fc/weight/fp32", "fc/bias/fp32",
    }  # fmt: skip
    assert found["conv1/Output/fp32"] == figures(model.conv1(model.quant(IMAGES)))
    assert found["conv1/Output/fp32"][0] == 0  # After the ReLU.
    assert found["conv1/weight/fp32"] == figures(model.conv1[0].weight)


def test_a_quantized_model_is_logged_by_its_real_values(logger, read):
    model = quantized()
    found = histograms(read, evaluate(logger, model))
    assert set(found) == {
        "quant/Output/int8", "conv1/Output/int8", "block.0/Output/int8", "add/Output/int8",
        "fc/Output/int8", "dequant/Output/fp32",
        "quant/scale/fp32", "quant/zero_point/fp32", "add/scale/fp32", "add/zero_point/fp32",
        "conv1/weight/int8", "conv1/bias/fp32", "conv1/scale/fp32", "conv1/zero_point/fp32",
        "block.0/weight/int8", "block.0/bias/fp32", "block.0/scale/fp32",
        "block.0/zero_point/fp32", "fc/weight/int8", "fc/bias/fp32", "fc/scale/fp32",
        "fc/zero_point/fp32",
    }  # fmt: skip
    outputs = model.conv1(model.quant(IMAGES))
    assert outputs.is_quantized
    assert found["conv1/Output/int8"] == figures(outputs)
    assert found["conv1/weight/int8"] == figures(model.conv1.weight())
    assert found["fc/weight/int8"] == figures(model.fc.weight())  # Packed.
    assert found["conv1/scale/fp32"] == figures(torch.tensor([model.conv1.scale]))


def test_the_groups_of_a_float_model_are_those_that_fx_fuses(logger, read):
    model = seeded(Simple)
    assert fused_modules(model) == [["conv1", "bn1", "relu1"]]
    baseline = histograms(read, evaluate(logger, model, fused=fused_modules(model)))
    assert {tag for tag in baseline if "Output" in tag} == {"conv1/Output/fp32", "fc/Output/fp32"}
    after_relu = torch.relu(model.bn1(model.conv1(IMAGES)))
    assert baseline["conv1/Output/fp32"] == figures(after_relu)

    tuned = histograms(read, evaluate(logger, fx_quantized(model)))
    assert {"conv1/Output/int8", "fc/Output/int8", "conv1/weight/int8"} <= set(tuned)
    kept = histograms(read, evaluate(logger, fx_quantized(model, keep_fp32=["conv1"])))
    assert {"conv1/Output/fp32", "fc/Output/int8", "conv1/weight/fp32"} <= set(kept)
    assert kept["conv1/Output/fp32"] == pytest.approx(baseline["conv1/Output/fp32"], rel=1e-3)


def test_fused_modules_end_where_a_value_is_used_twice():
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.relu1 = nn.Conv2d(1, 1, 1), nn.ReLU()
            self.fc, self.relu2 = nn.Linear(8, 8), nn.ReLU()

        def forward(self, x):
            y = self.conv1(x)
            return self.relu2(self.fc(self.relu1(y) + y))

    assert fused_modules(Residual()) == [["fc", "relu2"]]


@pytest.mark.parametrize("make", [torch.jit.script, lambda model: torch.jit.trace(model, IMAGES)],
                         ids=["scripted", "traced"])  # fmt: skip
@pytest.mark.parametrize("model", [seeded(Simple), fx_quantized(seeded(Simple))],
                         ids=["float", "quantized"])  # fmt: skip
def test_torchscript_gives_what_the_eager_model_gives(logger, read, make, model):
    eager = histograms(read, evaluate(logger, model))
    script = make(model)
    with logger.evaluation(script) as trial:
        assert torch.equal(trial.model(IMAGES), model(IMAGES))
        assert trial.model.code == script.code  # All other attributes are the script's own.
        trial.accuracy = 0.5
    found = histograms(read, trial.report)
    assert {tag for tag in found if "Output" in tag} == {tag for tag in eager if "Output" in tag}
    for tag, values in found.items():
        assert values == pytest.approx(eager[tag]), tag
    assert {tag for tag in eager if "weight" in tag} <= set(found)


def test_a_script_returns_all_its_outputs(logger):
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 2)

        def forward(self, x):
            y = self.fc(x)
            return y, y + 1

    script = torch.jit.script(Two().eval())
    with logger.evaluation(script) as trial:
        first, second = trial.model(IMAGES)
        assert torch.equal(first + 1, second)
    assert "fc/Output/fp32" in trial.report.tags


def test_the_graph_is_logged_where_an_input_is_given(logger, read):
    model = seeded(Simple)
    graph = read(evaluate(logger, model).directory).events.Graph()
    assert {"aten::_convolution", "aten::linear"} <= {node.op for node in graph.node}
    with logger.evaluation(model) as trial:
        trial.model(IMAGES)
    assert not read(trial.report.directory).events.Tags()["graph"]


def test_a_graph_that_cannot_be_traced_costs_the_graph_only(logger, read, caplog):
    model = seeded(Simple)
    logger.pre_eval_hook(model)
    model(IMAGES)
    with caplog.at_level(logging.WARNING):
        report = logger.post_eval_hook(model, accuracy=0.5, input=torch.zeros(1, 3, 8, 8))
    assert "graph is left out" in caplog.text
    assert "conv1/Output/fp32" in report.tags


def test_a_white_list_names_modules_or_types(logger, read):
    def observed(white_list):
        with logger.evaluation(seeded(), white_list) as trial:
            trial.model(IMAGES)
        return {tag for tag in trial.report.tags if "Output" in tag}

    assert observed(["conv1", "fc"]) == {"conv1/Output/fp32", "fc/Output/fp32"}
    assert observed("fc") == {"fc/Output/fp32"}
    assert observed(nn.Conv2d) == {"conv1/Output/fp32", "block.0/Output/fp32"}
    assert observed([nn.Linear, "relu1"]) == {"fc/Output/fp32", "relu1/Output/fp32"}
    with pytest.raises(ValueError, match="no leaf module 'conv'; similar names are: conv1"):
        observed(["conv"])
    with pytest.raises(ValueError, match="nothing can be observed"):
        observed(nn.LSTM)


@pytest.mark.parametrize("model", [nn.Sequential(), nn.ModuleList(), nn.Identity()], ids=str)
def test_a_model_without_leaves_is_refused_before_anything_is_written(logger, model, tmp_path):
    with pytest.raises(ValueError, match="no leaf modules"):
        logger.pre_eval_hook(model)
    assert not (tmp_path / "runs").exists()
    with pytest.raises(TypeError, match="torch.nn.Module"):
        logger.pre_eval_hook("resnet18")


def test_a_model_that_is_one_module_has_the_name_of_its_type(logger, read):
    found = histograms(read, evaluate(logger, seeded(lambda: nn.Conv2d(1, 2, 3))))
    assert set(found) == {"Conv2d/Output/fp32", "Conv2d/weight/fp32", "Conv2d/bias/fp32"}


def test_modules_that_return_several_tensors(logger, read):
    with logger.evaluation(seeded(lambda: nn.Sequential(nn.LSTM(4, 3)))) as trial:
        trial.model(torch.ones(5, 2, 4))
    outputs = {tag for tag in trial.report.tags if "Output" in tag}
    assert outputs == {"0/Output/fp32", "0_1/Output/fp32", "0_2/Output/fp32"}


def test_nan_activations_are_told(logger, read, caplog):
    model = seeded(Simple)
    with torch.no_grad():
        model.fc.weight[0] = float("nan")
    with caplog.at_level(logging.WARNING):
        report = evaluate(logger, model, accuracy=float("nan"))
    assert "fc/Output/fp32: 6 NaN and 0 infinite of 60 values" in caplog.text
    assert read(report.directory).scalars("fc/Output/fp32/not_finite") == [(0, 6)]
    assert histograms(read, report)["fc/Output/fp32"][2] == 54
