"""Observers of PyTorch models: they exist during an evaluation, and store the requested values."""

import logging
import os
import threading

import pytest
import torch
from compression_board import TuningLogger
from compression_board.tuning import hooks
from observed_models import evaluate, figures, histograms, IMAGES, quantized, seeded, Simple

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
    assert "conv1/Output/fp32" in run.tags("histograms")  # Logged before the failure.
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
    with pytest.raises(RuntimeError, match="not called for this model"):
        logger.post_eval_hook(seeded(), accuracy=0.5)


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
    assert again.outputs == {}  # Only if requested.
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
    assert grown_kib < 100 * 1024  # Storing the outputs would take 960 MiB.
