"""Evaluations that fail: the right exit code, message and model in each case."""

import sys

import onnx
import pytest
from conftest import run_tune

EVALUATION = """
import pathlib, sys, time
model, folder = sys.argv[1], pathlib.Path({folder!r})
is_baseline = model.endswith("sensors.onnx")
count = folder / "count"
number = int(count.read_text()) + 1 if count.exists() else 1
count.write_text(str(number))
{body}
"""


def evaluation(folder, body):
    script = folder / "eval.py"
    script.write_text(EVALUATION.format(folder=str(folder), body=body))
    return ["--eval", f"{sys.executable} {script} {{model}}"]


def assert_model(folder):
    onnx.checker.check_model(onnx.load(folder / "int8.onnx"))


def test_a_goal_that_cannot_be_met_gives_the_best_model(sensors):
    body = "print(0.9 if is_baseline else 0.5 + 0.01 * (number == 3))"
    ended = run_tune(sensors, *evaluation(sensors, body))
    assert ended.returncode == 1
    report = ended.report
    assert not report["is_met"] and report["best"] == 2 and report["evaluations"] <= 5
    assert "0.51" in report["reason"] and report["next_step"]
    best = sensors / "int8.onnx.tune" / "trial_2" / "model.onnx"
    assert (sensors / "int8.onnx").read_bytes() == best.read_bytes()


def test_a_crash_every_third_time_is_a_failed_trial(sensors):
    body = "if number % 3 == 0: sys.exit('no more memory')\nprint(0.9 if number != 2 else 0.2)"
    ended = run_tune(sensors, *evaluation(sensors, body))
    assert ended.returncode == 0, ended.stderr
    failed = ended.report["trials"][1]["result"]
    assert failed["accuracy"] is None and "no more memory" in failed["failure"]
    assert "no more memory" in (sensors / "int8.onnx.tune/trial_2/log.txt").read_text()
    assert_model(sensors)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("if not is_baseline: time.sleep(600)\nprint(0.9)", "did not end within"),
        ("print(0.9 if is_baseline else float('nan'))", "nan"),
        ("print(0.9 if is_baseline else 'done')", "found 'done'"),
        ("if not is_baseline: sys.exit(3)\nprint(0.9)", "exit code 3"),
    ],
    ids=["hang", "nan", "no_number", "crash"],
)
def test_an_evaluation_without_an_accuracy_gives_an_unmeasured_model(sensors, body, message):
    ended = run_tune(sensors, *evaluation(sensors, body), "--eval-timeout", "8s")
    assert ended.returncode == 1
    report = ended.report
    assert report["best"] is None and not report["is_output_measured"]
    assert message in report["reason"], report["reason"]
    assert all(trial["result"]["accuracy"] is None for trial in report["trials"])
    assert_model(sensors)


def test_a_baseline_that_cannot_be_evaluated_is_named(sensors):
    ended = run_tune(sensors, *evaluation(sensors, "raise ImportError('torch')"))
    assert ended.returncode == 1
    assert "the evaluation of the float model failed" in ended.report["reason"]
    assert "torch" in ended.report["reason"]
    assert_model(sensors)


def test_an_unfinished_tuning_is_not_overwritten(sensors):
    state = sensors / "int8.onnx.tune"
    state.mkdir()
    (state / "job.json").write_text("{}")
    ended = run_tune(sensors)
    assert ended.returncode == 1 and "--resume" in ended.stderr
