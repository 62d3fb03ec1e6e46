"""PyTorch models under observation: eager, FX, scripted and traced, float and quantized."""

import copy
import logging
import os
import threading
import warnings

import pytest
import torch
from compression_board import TuningLogger
from compression_board.tuning import fused_modules, hooks
from torch import nn
from torch.ao import quantization
from torch.ao.quantization.quantize_fx import convert_fx, prepare_fx

warnings.simplefilter("ignore")
torch.backends.quantized.engine = "qnnpack"
IMAGES = torch.randn(6, 1, 8, 8, generator=torch.Generator().manual_seed(1))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant = quantization.QuantStub()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu1 = nn.ReLU(inplace=True)
        self.block = nn.Sequential(nn.Conv2d(4, 4, 3, padding=1), nn.ReLU())
        self.add = nn.quantized.FloatFunctional()
        self.fc = nn.Linear(144, 10)
        self.dequant = quantization.DeQuantStub()

    def forward(self, x):
        x = self.relu1(self.bn1(self.conv1(self.quant(x))))
        x = self.add.add(x, self.block(x))
        return self.dequant(self.fc(torch.flatten(x, 1)))


GROUPS = [["conv1", "bn1", "relu1"], ["block.0", "block.1"]]


def seeded(model=Net):
    torch.manual_seed(3)
    return model().eval()


def fused():
    return quantization.fuse_modules(seeded(), GROUPS)


def quantized():
    model = fused()
    model.qconfig = quantization.get_default_qconfig("qnnpack")
    prepared = quantization.prepare(model)
    prepared(IMAGES)
    return quantization.convert(prepared)


class Simple(nn.Module):
    """What torch.fx can trace."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3)
        self.bn1 = nn.BatchNorm2d(4)
        self.relu1 = nn.ReLU(inplace=True)
        self.fc = nn.Linear(144, 10)

    def forward(self, x):
        return self.fc(torch.flatten(self.relu1(self.bn1(self.conv1(x))), 1))


def fx_quantized(model, keep_fp32=()):
    mapping = quantization.get_default_qconfig_mapping("qnnpack")
    for name in keep_fp32:
        mapping.set_module_name(name, None)
    prepared = prepare_fx(copy.deepcopy(model), mapping, (IMAGES,))
    prepared(IMAGES)
    return convert_fx(prepared)


@pytest.fixture
def logger(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with TuningLogger() as logger:
        yield logger


def evaluate(logger, model, accuracy=0.5, **options):
    with logger.evaluation(model, **options) as trial:
        trial.model(IMAGES)
        trial.accuracy, trial.input = accuracy, IMAGES[:1]
    return trial.report


def histograms(read, report):
    """{tag: (min, max, num, sum)}"""
    run = read(report.directory)
    found = {}
    for tag in run.tags("histograms"):
        (event,) = run.events.Histograms(tag)
        value = event.histogram_value
        found[tag] = (value.min, value.max, value.num, value.sum)
    return found


def figures(tensor):
    tensor = (tensor.dequantize() if tensor.is_quantized else tensor).detach().double()
    values = (tensor.min().item(), tensor.max().item(), tensor.numel(), tensor.sum().item())
    return pytest.approx(values, rel=1e-5, abs=1e-4)  # PyTorch dequantizes in single precision.


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
    # bn1, relu1 and block.1 are Identity now, and the convolutions hold numbered children.
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
        assert trial.model.code == script.code  # Everything else is the script's own.
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


def hooks_of(model):
    return sum(len(module._forward_hooks) for module in model.modules())


def test_observing_leaves_no_trace(logger):
    model = quantized()
    before, keys = str(model), list(model.state_dict())
    observed = logger.pre_eval_hook(model)
    assert observed is model
    assert hooks_of(model) == 6
    assert list(model.state_dict()) == keys
    model(IMAGES)
    logger.post_eval_hook(model, accuracy=0.5, input=IMAGES)
    assert hooks_of(model) == 0
    assert str(model) == before
    assert list(model.state_dict()) == keys


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
    with pytest.raises(ValueError, match="no leaf 'conv'; there are conv1"):
        observed(["conv"])
    with pytest.raises(ValueError, match="no module to observe"):
        observed(nn.LSTM)


@pytest.mark.parametrize("model", [nn.Sequential(), nn.ModuleList(), nn.Identity()], ids=str)
def test_a_model_without_leaves_is_refused_before_anything_is_written(logger, model, tmp_path):
    with pytest.raises(ValueError, match="no leaves"):
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


def test_an_evaluation_that_raises_loses_its_observers_and_says_so(logger, read, caplog):
    model = seeded()
    with caplog.at_level(logging.WARNING), pytest.raises(RuntimeError, match="out of memory"):
        with logger.evaluation(model) as trial:
            trial.model(IMAGES)
            raise RuntimeError("out of memory")
    assert hooks_of(model) == 0
    assert sorted(os.listdir("runs/eval")) == ["baseline_failed"]
    assert "baseline_failed: RuntimeError: out of memory" in caplog.text
    run = read("runs/eval/baseline_failed")
    (text,) = run.events.Tensors("tuning/failure/text_summary")
    assert list(text.tensor_proto.string_val) == [b"RuntimeError: out of memory"]
    assert "conv1/Output/fp32" in run.tags("histograms")  # What there was until then.
    assert os.path.basename(evaluate(logger, model).directory) == "baseline_acc_0.5"


def test_hooks_that_were_left_behind_go_with_the_next_evaluation(logger):
    abandoned, model = seeded(), seeded()
    logger.pre_eval_hook(abandoned)
    logger.pre_eval_hook(model)
    assert hooks_of(abandoned) == 0
    model(IMAGES)
    logger.post_eval_hook(model, accuracy=0.5)
    assert sorted(os.listdir("runs/eval")) == ["baseline_acc_0.5", "baseline_failed"]


def test_leaving_the_logger_ends_the_evaluation(tmp_path):
    model = seeded()
    with pytest.raises(KeyboardInterrupt):
        with TuningLogger(tmp_path / "eval") as logger:
            logger.pre_eval_hook(model)
            raise KeyboardInterrupt
    assert hooks_of(model) == 0
    assert os.listdir(tmp_path / "eval") == ["baseline_failed"]


def test_without_an_accuracy_nothing_is_lost(logger, read):
    model = seeded()
    logger.pre_eval_hook(model)
    model(IMAGES)
    report = logger.post_eval_hook(model)
    assert os.path.basename(report.directory) == "baseline"
    assert "conv1/Output/fp32" in read(report.directory).tags("histograms")


def test_another_model_is_not_finished_by_mistake(logger):
    logger.pre_eval_hook(seeded())
    with pytest.raises(RuntimeError, match="not being observed"):
        logger.post_eval_hook(seeded(), accuracy=0.5)


def test_nan_activations_are_told(logger, read, caplog):
    model = seeded(Simple)
    with torch.no_grad():
        model.fc.weight[0] = float("nan")
    with caplog.at_level(logging.WARNING):
        report = evaluate(logger, model, accuracy=float("nan"))
    assert "fc/Output/fp32: 6 NaN and 0 infinite of 60 values" in caplog.text
    assert read(report.directory).scalars("fc/Output/fp32/not_finite") == [(0, 6)]
    assert histograms(read, report)["fc/Output/fp32"][2] == 54


def test_switched_off_the_model_stays_as_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    logger, model = TuningLogger(enabled=False), seeded()
    assert logger.pre_eval_hook(model) is model
    assert hooks_of(model) == 0
    assert logger.post_eval_hook(model, accuracy=0.5).tags == []
    assert os.listdir(tmp_path) == []


def test_the_hooks_as_functions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(hooks, "_logger", None)
    for _ in range(2):
        model = hooks.pre_eval_hook(seeded(), ["conv1"])
        model(IMAGES)
        hooks.post_eval_hook(model, accuracy=0.5, input=IMAGES)
    assert sorted(os.listdir("runs/eval")) == ["baseline_acc_0.5", "tune_1_acc_0.5"]


def test_models_that_run_in_threads(logger, read):
    model = seeded(Simple)
    with logger.evaluation(model) as trial:
        threads = [threading.Thread(target=trial.model, args=(IMAGES,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert histograms(read, trial.report)["fc/Output/fp32"][2] == 8 * 60


@pytest.mark.parametrize("make", [seeded, quantized, lambda: torch.jit.script(seeded())])
def test_every_output_is_kept_when_asked_for(logger, read, make):
    model = make()
    with logger.evaluation(model, keep="tensors") as trial:
        for batch in IMAGES.split(2):
            trial.model(batch)
    outputs = trial.report.outputs
    assert {"conv1", "block.0", "fc"} <= outputs.keys()
    for op in ("conv1", "fc"):
        assert [len(tensor) for tensor in outputs[op]] == [2, 2, 2]
    precision = "int8" if outputs["fc"][0].is_quantized else "fp32"
    whole = torch.cat([make_float(tensor) for tensor in outputs["fc"]])
    assert histograms(read, trial.report)[f"fc/Output/{precision}"] == figures(whole)
    again = evaluate(logger, model)
    assert again.outputs == {}  # Only when asked for.
    assert set(again.tags) == {*trial.report.tags, "accuracy"}


def make_float(tensor):
    return tensor.dequantize() if tensor.is_quantized else tensor


def test_what_is_kept_does_not_change_with_what_follows(logger):
    model = seeded(Simple)  # relu1 works in place.
    with logger.evaluation(model, keep="tensors") as trial:
        trial.model(IMAGES)
    outputs = trial.report.outputs
    assert outputs["bn1"][0].min() < 0 == outputs["relu1"][0].min()
    assert torch.equal(outputs["bn1"][0], model.bn1(model.conv1(IMAGES)))
    assert not outputs["bn1"][0].requires_grad


def test_outputs_of_an_evaluation_that_raised_are_not_those_of_the_next(logger):
    model = seeded(Simple)
    with pytest.raises(RuntimeError):
        with logger.evaluation(model, keep="tensors") as trial:
            trial.model(IMAGES)
            raise RuntimeError
    with logger.evaluation(model, keep="tensors") as trial:
        trial.model(IMAGES)
    assert [len(kept) for kept in trial.report.outputs.values()] == [1] * 4


def test_what_to_keep_is_one_of_two(logger):
    with pytest.raises(ValueError, match="keep is 'everything'; it must be 'statistics' or"):
        logger.pre_eval_hook(seeded(), keep="everything")
    assert not os.path.exists("runs")


MEMORY = """
import resource, torch
from compression_board import TuningLogger
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.ReLU())
images = torch.randn(1 << 21)  # 8 MiB, and as much for each output.
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with TuningLogger().evaluation(model) as trial:
    trial.model(images)
    before = peak()
    for _ in range(60):
        trial.model(images)
    print(peak() - before)
"""


def test_memory_does_not_grow_with_the_batches(python):
    grown_kib = int(python(MEMORY).stdout)
    assert grown_kib < 100 * 1024  # Keeping the outputs would take 960 MiB.
