"""The example of docs/tune.md: the first convolution breaks the model, and tune keeps only this
one in float.
"""

import json
import os
import re
import subprocess
import sys
import time

import numpy as np
import onnx
import onnxruntime
from conftest import PROGRAM, ROOT, run_tune, tune_command
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator


def logits_of(model, samples):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model), options, ["CPUExecutionProvider"])
    return session.run(None, {"x": samples})[0]


def test_tune_keeps_the_broken_convolution_in_float(sensors):
    logdir = sensors / "runs" / "eval"
    ended = run_tune(sensors, "--logdir", logdir)
    assert ended.returncode == 0, ended.stderr
    report = ended.report
    assert report["is_met"] and report["evaluations"] <= 5
    best = report["trials"][report["best"] - 1]
    assert best["keep_float"] == ["conv1"]
    assert report["trials"][0]["result"]["accuracy"] < 0.9

    # An independent program counts the agreement again.
    samples = np.load(sensors / "sensors.npz")["x"]
    float_logits = logits_of(sensors / "sensors.onnx", samples)
    agreement = np.mean(
        logits_of(sensors / "int8.onnx", samples).argmax(1) == float_logits.argmax(1)
    )
    assert agreement >= 0.99
    onnx.checker.check_model(onnx.load(sensors / "int8.onnx"))

    # The layer that is not in 8 bits is reported with its gain, its bytes and its time.
    (reverted,) = [line for line in report["reverted"] if line["name"] == "conv1"]
    assert reverted["change"] == "float" and reverted["gain_db"] > 3
    assert reverted["bytes"] == 3 * 8 * 2 * 9
    assert (sensors / "int8.onnx").stat().st_size < 0.5 * (sensors / "sensors.onnx").stat().st_size

    # Stock TensorBoard reads the runs under the tags of the document.
    runs = sorted(path.name for path in logdir.iterdir() if path.name != "search")
    assert runs[0] == "baseline_acc_1.0" and runs[1].startswith("tune_1_acc_0.")
    for run, precision in ((runs[0], "fp32"), (runs[1], "int8")):
        events = EventAccumulator(str(logdir / run), {"histograms": 0, "graph": 1}).Reload()
        tags = events.Tags()
        assert f"conv1/weight/{precision}" in tags["histograms"], tags
        assert f"conv1/Output/{precision}" in tags["histograms"], tags
        assert tags["graph"]
    last = EventAccumulator(best["log"], {"histograms": 0}).Reload()
    assert "conv1/weight/fp32" in last.Tags()["histograms"]
    assert "conv2/weight/int8" in last.Tags()["histograms"]


def test_text_names_the_reason_and_the_settings_of_other_programs(sensors):
    ended = subprocess.run(
        [PROGRAM, "tune", "sensors.onnx", "--data", "sensors.npz", "-o", "int8.onnx"],
        cwd=sensors, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert "Goals met: agreement is" in ended.stdout
    assert "conv1 (Conv) in float: end SQNR +" in ended.stdout
    assert "nodes_to_exclude" in ended.stdout and "op_wise" in ended.stdout


def test_config_of_neural_compressor_is_read(sensors):
    (sensors / "tune.yaml").write_text(
        "quantization:\n"
        "  op_wise: {'conv1': {'activation': {'dtype': ['fp32']}}}\n"
        "tuning:\n"
        "  strategy: {name: bayesian}\n"
        "  accuracy_criterion: {relative: 0.02}\n"
        "  exit_policy: {max_trials: 1}\n"
    )
    ended = run_tune(sensors, "--config", sensors / "tune.yaml")
    assert ended.returncode == 0, ended.stderr
    assert "tuning.strategy.name" in ended.stderr
    assert ended.report["evaluations"] == 1
    assert abs(ended.report["limit"] - 0.98) < 1e-9


def progress_of(logdir):
    """Returns all values of the tag tuning/progress, in order."""
    events = EventAccumulator(str(logdir / "search"), {"tensors": 0}).Reload()
    (tag,) = events.Tags()["tensors"]
    assert tag == "tuning/progress/text_summary"
    return [json.loads(event.tensor_proto.string_val[0]) for event in events.Tensors(tag)]


def test_progress_is_logged_as_the_format_says(sensors):
    logdir = sensors / "runs" / "eval"
    ended = run_tune(sensors, "--logdir", logdir)
    values = progress_of(logdir)
    page = (ROOT / "docs/formats/tuning-progress.md").read_text()
    documented = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL).group(1))
    for value in values:
        assert value.keys() == documented.keys()
    phases = [value["phase"] for value in values]
    assert phases[0] == "calibrating" and phases[-1] == "finished" and "ranking" in phases
    assert {"evaluating", "explaining"} <= set(phases)
    running = next(value for value in values if value["trial"] == 2)
    assert running["can_stop"] and running["evaluations"] == 1 and running["left_seconds"] > 0
    last = values[-1]
    assert last["is_met"] and not last["can_stop"] and last["left_seconds"] == 0
    assert last["best"] == ended.report["best"] and last["reason"] == ended.report["reason"]
    assert [trial["run"] for trial in last["trials"]] == [
        os.path.basename(trial["log"]) for trial in ended.report["trials"]
    ]
    best = last["trials"][last["best"] - 1]
    assert best.keys() == documented["trials"][0].keys()
    (reverted,) = best["reverted"]
    assert reverted["name"] == "conv1" and reverted["gain_db"] > 3 and reverted["bytes"] == 432
    sizes = [point["size_bytes"] for point in last["predicted"]]
    decibels = [point["end_sqnr_db"] for point in last["predicted"]]
    assert sizes == sorted(sizes) and decibels == sorted(decibels) and len(sizes) > 1


def test_stop_file_of_the_log_ends_a_running_evaluation(sensors):
    script = sensors / "eval.py"
    script.write_text("import sys, time\nif 'trial' in sys.argv[1]: time.sleep(600)\nprint(0.9)\n")
    logdir = sensors / "runs" / "eval"
    process = subprocess.Popen(
        tune_command(sensors, "--eval", f"{sys.executable} {script} {{model}}", "--logdir", logdir, "--json"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not (logdir / "tune_1").exists():
        assert process.poll() is None
        time.sleep(0.1)
    (logdir / "search" / "stop").touch()
    printed, _ = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "--resume" in json.loads(printed)["reason"]
    last = progress_of(logdir)[-1]
    assert last["phase"] == "stopped" and not last["can_stop"]
    assert not (logdir / "search" / "stop").exists() and not (logdir / "tune_1").exists()


def test_contract_holds_for_the_result(sensors):
    assert run_tune(sensors).returncode == 0
    for command in (
        ["benchmark", "fp32=sensors.onnx", "int8=int8.onnx", "--data", "sensors.npz", "--metric", "agreement",
         "--time", "1", "--no-memory", "--no-energy", "--no-reasons", "--logdir", "ci", "-o", "ci.json"],
        ["check", "int8.onnx.tune/contract.yaml", "--logdir", "ci"],
    ):  # fmt: skip
        ended = subprocess.run([PROGRAM, *command], cwd=sensors, capture_output=True, text=True, timeout=300)
        assert ended.returncode == 0, ended.stdout + ended.stderr
