"""The command from outside: JSON, events, bad input, interruption, lists of models."""

import json
import os
import signal
import subprocess
import sys
import time

import models
import numpy as np
import pytest
from conftest import run

BRIEF = ["--time", "0.5", "--no-memory", "--no-energy", "--no-reasons"]


@pytest.fixture
def pair(tmp_path):
    return (models.dense(tmp_path / "net_fp32.onnx", [256, 256, 256, 10]),
            models.dense(tmp_path / "net_int8.onnx", [256, 64, 10]))  # fmt: skip


@pytest.fixture
def labeled(tmp_path):
    random = np.random.default_rng(0)
    np.savez(tmp_path / "val.npz", x=random.normal(size=(40, 256)).astype("f4"), y=random.integers(0, 10, 40))
    return ["--data", "val.npz", "--labels", "val.npz:y", "--metric", "top1"]


def test_writes_the_json_of_the_guide_and_events(tmp_path, pair, labeled):
    result = run(tmp_path, *pair, *labeled, "--time", "2", "--no-energy", "--logdir", "runs")
    assert result.returncode == 0, result.stderr
    model = json.loads((tmp_path / "results/models_benchmark_results.json").read_text())["net"]
    for variant in ("fp32", "int8"):
        found = model[variant]
        for key in ("accuracy", "f1_score", "latency_mean_ms", "model_size_mb", "memory_usage_mb", "latency_p50_ms",
                    "latency_std_ms", "load_ms", "first_inference_ms", "sha256", "valid"):  # fmt: skip
            assert key in found, key
        assert found["memory_usage_mb"] > found["memory_model_mb"] > 0
        assert found["latency_min_ms"] <= found["latency_p50_ms"] <= found["latency_max_ms"]
        assert "energy_consumption_mw" not in found
    low, high = model["int8"]["speedup_ci95"]
    assert 0 < low <= model["int8"]["comparison"]["speedup"] <= high
    assert model["int8"]["verdict"] == "faster"  # An eighth of the work.
    environment = model["environment"]
    assert environment["threads"] == 1 and environment["onnxruntime"] and len(environment["pinned_cpus"]) == 1
    assert list(tmp_path.glob("runs/models_benchmark_results/net/*tfevents*"))
    inspected = subprocess.run([os.environ["COMPRESSION_BOARD"], "inspect", "--logdir", "runs", "--json"],
                               cwd=tmp_path, capture_output=True, text=True, check=True).stdout  # fmt: skip
    for tag in ("net/metrics/accuracy/int8", "net/performance/latency_ms/fp32", "net/latency_distribution/int8",
                "net/compression/speedup"):  # fmt: skip
        assert tag in inspected, tag


def test_json_goes_through_import_the_guide_and_the_fork(tmp_path, pair, labeled):
    assert run(tmp_path, *pair, *labeled, *BRIEF, "--no-log").returncode == 0
    file = tmp_path / "results/models_benchmark_results.json"
    imported = subprocess.run([os.environ["COMPRESSION_BOARD"], "import", str(file), "--logdir", "imported"],
                              cwd=tmp_path, capture_output=True, text=True)  # fmt: skip
    assert imported.returncode == 0, imported.stderr
    assert "warning" not in (imported.stdout + imported.stderr).lower()
    # The script of the guide, word for word but for its paths.
    from tensorboardX import SummaryWriter

    writer = SummaryWriter(str(tmp_path / "guide"))
    with open(file) as f:
        results = json.load(f)
    for model_name, data in results.items():
        fp32 = data["fp32"]
        int8 = data["int8"]
        writer.add_scalars(f"{model_name}/accuracy", {"fp32": fp32["accuracy"], "int8": int8["accuracy"]}, 0)
        writer.add_scalars(f"{model_name}/latency", {"fp32": fp32["latency_mean_ms"], "int8": int8["latency_mean_ms"]}, 0)
        writer.add_scalars(f"{model_name}/model_size", {"fp32": fp32["model_size_mb"], "int8": int8["model_size_mb"]}, 0)
    writer.close()
    assert list((tmp_path / "guide").rglob("*tfevents*"))


def test_a_variant_that_does_not_load_is_named_and_the_others_are_measured(tmp_path, pair, measure):
    (tmp_path / "net_bad.onnx").write_bytes(b"not a model")
    model = measure(*pair, tmp_path / "net_bad.onnx", *BRIEF, fails=True)
    assert model["failed_variants"].startswith("bad: ONNX Runtime")
    assert model["int8"]["latency_mean_ms"] > 0
    missing = run(tmp_path, "none.onnx", "-o", "none.json", *BRIEF)
    assert missing.returncode == 1 and "none.onnx" in missing.stderr
    assert "Written" not in missing.stdout and not (tmp_path / "none.json").exists()


def test_variants_can_be_named(pair, measure):
    model = measure(f"float={pair[0]}", f"small={pair[1]}", "--baseline", "float", *BRIEF)
    assert model["baseline_variant"] == "float" and model["small"]["verdict"]


def test_bad_input_says_what_to_do(tmp_path, pair):
    from onnx import helper

    fp32, _ = pair
    relu = helper.make_node("Relu", ["x"], ["y"])
    models.save(tmp_path / "open.onnx", [relu], [], [("x", ["n", "length"])], [("y", ["n", "length"])])
    np.savez(tmp_path / "wide.npz", x=np.zeros((4, 300), "f4"))
    np.savez(tmp_path / "val.npz", x=np.zeros((4, 256), "f4"), y=np.zeros(3, int))
    for arguments, expected in [
        (["open.onnx"], "--shape x=1"),
        ([fp32, "--data", "wide.npz"], "the model wants float32 [1, 256]"),
        ([fp32, "--batch", "4"], "fixed batch"),
        ([fp32, "--provider", "abacus"], "has no execution provider 'abacus'; it has"),
        ([fp32, "--labels", "val.npz:y"], "--labels needs --metric"),
        ([fp32, "--time", "soon"], "is not a time"),
        ([fp32, "--baseline", "fp16"], "is not a variant"),
    ]:
        result = run(tmp_path, *arguments, *([] if "--time" in arguments else BRIEF))
        assert result.returncode != 0
        assert expected in result.stderr, result.stderr
        assert "terminate" not in result.stderr


def test_a_failed_evaluation_is_never_an_accuracy(tmp_path, pair, measure):
    np.savez(tmp_path / "val.npz", x=np.zeros((4, 256), "f4"), y=np.zeros(3, int))
    for flags, expected in [
        (["--data", "val.npz", "--labels", "val.npz:y", "--metric", "top1"], "3 labels in 'val.npz:y' and 4 samples"),
        (["--metric", "top1"], "needs --labels"),
        (["--metric", "beauty"], "there is no metric 'beauty'; there are top1"),
        (["--eval", "echo 0.9; exit 1; {model}"], "exit code 1"),
        (["--eval", "sleep 60 # {model}", "--eval-timeout", "1"], "did not end within 1 s"),
    ]:
        model = measure(pair[0], *flags, *BRIEF)
        variant = model[model["baseline_variant"]]
        assert "accuracy" not in variant
        assert not variant["valid"] and expected in variant["why_invalid"], variant["why_invalid"]
        assert variant["latency_mean_ms"] > 0


def test_a_command_can_measure_the_accuracy(tmp_path, pair, measure):
    script = tmp_path / "eval.py"
    script.write_text("import sys, json, os; print('hello'); print(json.dumps({'accuracy': 0.5, 'bytes': os.path.getsize(sys.argv[1])}))")
    model = measure(*pair, "--eval", f"{sys.executable} {script} {{model}}", *BRIEF)
    for path, variant in zip(pair, ("fp32", "int8")):
        assert model[variant]["accuracy"] == 0.5
        assert model[variant]["bytes"] == path.stat().st_size


def test_nan_outputs_make_a_variant_invalid(tmp_path, measure):
    from onnx import helper

    models.save(tmp_path / "nan.onnx", [helper.make_node("Log", ["x"], ["y"])], [], [("x", [1, 64])], [("y", [1, 64])])
    model = measure(tmp_path / "nan.onnx", *BRIEF)
    assert not model["nan"]["valid"]
    assert "non-finite values" in model["nan"]["why_invalid"]


def test_energy_comes_from_the_counters_above_idle(tmp_path, pair, measure):
    zone = tmp_path / "sys/class/powercap/intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "name").write_text("package-0\n")
    (zone / "max_energy_range_uj").write_text("1000000000\n")
    counter = zone / "energy_uj"
    counter.write_text("999000000\n")  # Wraps around soon.
    # 10 W all the time: nothing is above idle.
    program = ("import sys, time\nstart = time.monotonic()\n"
               "while True:\n"
               "    uj = (999000000 + int(10e6 * (time.monotonic() - start))) % 1000000000\n"
               "    open(sys.argv[1] + '.new', 'w').write(f'{uj}\\n')\n"
               "    import os; os.replace(sys.argv[1] + '.new', sys.argv[1]); time.sleep(0.005)\n")  # fmt: skip
    clock = subprocess.Popen([sys.executable, "-c", program, str(counter)])
    try:
        model = measure(pair[0], "--time", "0.5", "--no-memory", "--no-reasons", "--sys-root", tmp_path / "sys")
    finally:
        clock.kill()
        clock.wait()
    found = model[model["baseline_variant"]]
    assert 0 <= found["energy_consumption_mw"] < 3000  # Nearly all of 10,000 is idle.
    assert found["energy_mj_per_inference"] >= 0
    absent = measure(pair[0], "--time", "0.5", "--no-memory", "--no-reasons", "--sys-root", tmp_path / "none")
    variant = absent[absent["baseline_variant"]]
    assert "energy_consumption_mw" not in variant
    assert "no energy counters" in variant["not_measured"]["energy_consumption_mw"]


def test_throughput_is_measured_apart_from_latency(pair, measure):
    model = measure(*pair, *BRIEF, "--throughput", "--streams", "2")
    assert model["int8"]["throughput"] > model["fp32"]["throughput"] > 0
    assert model["int8"]["comparison"]["streams"] == 2


def test_a_list_is_resumed_after_an_interruption(tmp_path, pair):
    suite = tmp_path / "models.yaml"
    suite.write_text(json.dumps({"models": [
        {"name": "first", "variants": {"fp32": "net_fp32.onnx", "int8": "net_int8.onnx"}, "time": 1},
        {"name": "second", "variants": ["net_fp32.onnx"], "time": 1, "eval": "sleep 600 # {model}"},
    ]}))  # fmt: skip
    command = [os.environ["COMPRESSION_BOARD"], "benchmark", "models.yaml", "--no-memory", "--no-energy", "--no-reasons",
               "-o", "all.json", "--logdir", "runs"]  # fmt: skip
    child = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if (tmp_path / "all.json").exists() and "first" in json.loads((tmp_path / "all.json").read_text()):
            if json.loads((tmp_path / "all.json").read_text())["first"]["environment"]["complete"]:
                break
        time.sleep(0.2)
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == -signal.SIGINT
    assert "what was measured is in 'all.json'" in errors
    written = json.loads((tmp_path / "all.json").read_text())
    assert written["first"]["environment"]["complete"]
    assert not written.get("second", {"environment": {"complete": False}})["environment"]["complete"]
    suite.write_text(suite.read_text().replace("sleep 600", "echo 0.5"))
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0, again.stderr
    assert "first: is complete in all.json" in again.stdout
    assert json.loads((tmp_path / "all.json").read_text())["second"]["environment"]["complete"]
