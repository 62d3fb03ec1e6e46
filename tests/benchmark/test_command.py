"""Tests the command from outside: JSON, events, bad input, interruption, lists of models."""

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
    assert model["int8"]["verdict"] == "faster"  # Needs an eighth of the work.
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
    # The script of the guide, with other paths.
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


def test_json_has_the_types_that_the_original_parser_computes_with(tmp_path, pair, labeled):
    """The parser of the original subtracts and divides these values without a check."""
    assert run(tmp_path, *pair, *labeled, "--time", "0.5", "--no-reasons", "--no-log").returncode == 0
    results = json.loads((tmp_path / "results/models_benchmark_results.json").read_text())
    for entry in results.values():
        assert isinstance(entry, dict) and entry["fp32"] and entry["int8"]
        for key in ("accuracy", "f1_score", "loss", "sensitivity", "specificity", "latency_mean_ms", "latency_std_ms",
                    "model_size_mb", "memory_usage_mb", "gpu_memory_usage_mb", "energy_consumption_mw"):  # fmt: skip
            kinds = {type(entry[variant][key]) for variant in ("fp32", "int8") if key in entry[variant]}
            assert kinds <= {int, float}, key
        for key in ("accuracy", "f1_score", "latency_mean_ms", "latency_std_ms", "model_size_mb", "memory_usage_mb"):
            assert key in entry["fp32"] and key in entry["int8"], key
        assert entry["int8"]["latency_mean_ms"] > 0 and entry["int8"]["model_size_mb"] > 0
        assert entry["fp32"]["evaluated_on"] == "cpu"
        assert all(type(entry["model_info"][key]) is str for key in ("library", "category", "description"))
        assert [type(size) for size in entry["model_info"]["input_shape"]] == [int]
        assert type(entry["benchmark_time_seconds"]) is float


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
    # Takes no negative number: it has a table of one row.
    rows = helper.make_node("Gather", ["table", "rate"], ["y"])
    graph = helper.make_graph([rows], "g", [helper.make_tensor_value_info("rate", 7, [8])],
                              [helper.make_tensor_value_info("y", 1, [8, 4])],
                              [models.constant("table", np.zeros((1, 4), "f4"))])  # fmt: skip
    models.onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9),
                     tmp_path / "rate.onnx")  # fmt: skip
    models.identity(tmp_path / "uneven.onnx", [1, 4], inputs=2)
    np.savez(tmp_path / "uneven.npz", x0=np.zeros((3, 4), "f4"), x1=np.zeros((2, 4), "f4"))
    np.savez(tmp_path / "wide.npz", x=np.zeros((4, 300), "f4"))
    np.savez(tmp_path / "val.npz", x=np.zeros((4, 256), "f4"), y=np.zeros(3, int))
    for arguments, expected in [
        (["open.onnx"], "--shape x=1"),
        ([fp32, "--data", "wide.npz"], "the model needs float32 [1, 256]"),
        ([fp32, "--batch", "4"], "fixed batch"),
        ([fp32, "--provider", "abacus"], "has no execution provider 'abacus'; it has"),
        ([fp32, "--labels", "val.npz:y"], "--labels needs --metric"),
        ([fp32, "--time", "soon"], "is not a duration"),
        ([fp32, "--baseline", "fp16"], "is not one of the given variants"),
        ([fp32, "--metric", "top1"], "the metric top1 needs labels; add --labels"),
        ([fp32, "--metric", "beauty"], "unknown metric 'beauty'; choose one of top1"),
        ([fp32, "--data", "val.npz", "--labels", "none.npz", "--metric", "top1"], "cannot open 'none.npz' of --labels"),
        ([fp32, "--labels", "val.npz:y", "--metric", "top1"], "--labels was given without samples"),
        ([fp32, "--data", "val.npz", "--labels", "val.npz:y", "--metric", "wer"], "add --vocabulary FILE"),
        (["rate.onnx"], "its inputs were random"),
        (["uneven.onnx", "--data", "uneven.npz"], "save the same number for each input"),
    ]:
        result = run(tmp_path, *arguments, *([] if "--time" in arguments else BRIEF))
        assert result.returncode != 0
        assert expected in result.stderr, result.stderr
        assert "terminate" not in result.stderr


def test_labels_are_checked_before_the_measurement(tmp_path, pair):
    np.savez(tmp_path / "val.npz", x=np.zeros((4, 256), "f4"), y=np.zeros(3, int), z=[0, np.nan, 1, 1])
    for array, expected in [
        ("y", "3 labels in 'val.npz:y' and 4 samples"),
        ("t", "has no array 't'; it has 'x', 'y', 'z'"),
        ("z", "the label of sample 1 in 'val.npz:z' is NaN"),
    ]:
        flags = ["--data", "val.npz", "--labels", f"val.npz:{array}", "--metric", "top1", "-o", "none.json"]
        result = run(tmp_path, pair[0], *flags, "--time", "600", timeout=60)
        assert result.returncode == 1 and expected in result.stderr, result.stderr
        assert "measuring latency" not in result.stderr and not (tmp_path / "none.json").exists()


def test_an_output_file_that_cannot_be_written_is_refused_before_the_measurement(tmp_path, pair):
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.json").write_text("no JSON")
    for output, expected in [
        ("folder", "'folder' is a directory"),
        ("text.json", "is not a benchmark JSON file"),
        ("text.json/out.json", "text.json"),
        ("/proc/none/out.json", "/proc/none"),
    ]:
        result = run(tmp_path, pair[0], "-o", output, "--time", "600", timeout=60)
        assert result.returncode == 1 and expected in result.stderr, result.stderr
        assert "measuring latency" not in result.stderr
    assert (tmp_path / "text.json").read_text() == "no JSON"
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == []


def test_an_evaluation_cannot_write_the_keys_of_the_benchmark(pair, measure):
    for key in ("verdict", "latency_mean_ms"):
        command = f"""echo '{{"{key}": 1, "accuracy": 0.5}}' # {{model}}"""
        found = measure(pair[0], "--eval", command, *BRIEF, fails=True)["net_fp32"]
        assert f"'{key}', which" in found["why_invalid"]
        assert "accuracy" not in found and found["latency_mean_ms"] != 1


def test_the_comparison_has_the_speedups_of_wall_and_cpu_time(pair, measure):
    comparison = measure(*pair, *BRIEF)["int8"]["comparison"]
    for basis in ("wall", "cpu"):
        low, high = comparison[f"speedup_{basis}_ci95"]
        assert low <= comparison[f"speedup_{basis}"] <= high
    assert comparison["speedup"] == comparison[f"speedup_{comparison['basis']}"]


def test_a_list_of_one_model_is_not_measured_again(tmp_path, pair):
    (tmp_path / "models.yaml").write_text(json.dumps({"models": [{"name": "only", "variants": ["net_fp32.onnx"], "time": "0.5s"}]}))
    flags = ["models.yaml", "--no-memory", "--no-energy", "--no-reasons", "--no-log", "-o", "all.json"]
    assert run(tmp_path, *flags).returncode == 0
    assert "only: is complete" in run(tmp_path, *flags).stdout
    assert "only: is complete" not in run(tmp_path, *flags, "--fresh").stdout


def test_a_failed_evaluation_is_never_an_accuracy(tmp_path, pair, measure):
    np.savez(tmp_path / "val.npz", x=np.zeros((4, 256), "f4"), y=[0, 0, 300, 0])
    for flags, expected in [
        (["--data", "val.npz", "--labels", "val.npz:y", "--metric", "top1"], "the label of sample 2 is 300"),
        (["--eval", "echo 0.9; exit 1; {model}"], "exit code 1"),
        (["--eval", "sleep 60 # {model}", "--eval-timeout", "1"], "did not end within 1 s"),
    ]:
        model = measure(pair[0], *flags, *BRIEF, fails=True)
        assert not model["environment"]["complete"]  # A list measures it again.
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


def test_a_score_that_is_no_number_is_a_failed_evaluation(tmp_path, measure):
    from onnx import helper

    models.save(tmp_path / "nan.onnx", [helper.make_node("Log", ["x"], ["y"])], [], [("x", [1, 64])], [("y", [1, 64])])
    model = measure(tmp_path / "nan.onnx", "--metric", "mse", *BRIEF, fails=True)
    assert "mse" not in model["nan"]
    assert "mse is not a number" in model["nan"]["why_invalid"]


def test_the_report_names_the_variant_that_is_not_valid(tmp_path, pair):
    from onnx import helper

    models.save(tmp_path / "net_log.onnx", [helper.make_node("Log", ["x"], ["y"])], [], [("x", [1, 256])], [("y", [1, 256])])
    printed = run(tmp_path, pair[0], "net_log.onnx", *BRIEF, "--no-log").stdout
    assert "Not valid (log): output 'y' has" in printed
    assert "Not valid (fp32)" not in printed


def test_the_first_of_many_nan_outputs_stands_for_all(tmp_path, measure):
    from onnx import helper

    nodes = [helper.make_node("Log", ["x"], [f"y{i}"]) for i in range(5)]
    models.save(tmp_path / "nan.onnx", nodes, [], [("x", [1, 64])], [(f"y{i}", [1, 64]) for i in range(5)])
    why = measure(tmp_path / "nan.onnx", *BRIEF)["nan"]["why_invalid"]
    assert "output 'y0'" in why and "of 5 outputs" in why and "y1" not in why


def test_shapes_and_batch_fit_together(tmp_path, measure):
    from onnx import helper

    relu = helper.make_node("Relu", ["x"], ["y"])
    models.save(tmp_path / "open.onnx", [relu], [], [("x", ["n", "length"])], [("y", ["n", "length"])])
    model = measure("open.onnx", "--shape", "1,32", "--batch", "4", *BRIEF)
    assert model["environment"]["batch"] == 4
    assert "inputs: x=4,32" in model["model_info"]["description"]
    result = run(tmp_path, "open.onnx", "--shape", "2,32", "--batch", "4", *BRIEF)
    assert result.returncode == 1 and "2 samples, but --batch is 4" in result.stderr


def test_a_shape_without_a_name_is_that_of_the_input_with_open_sizes(tmp_path, measure):
    from onnx import helper

    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Relu", ["h"], ["g"])]
    models.save(tmp_path / "two.onnx", nodes, [], [("x", [1, "length"]), ("h", [1, 8])], [("y", [1, "length"]), ("g", [1, 8])])
    assert "x=1,32 h=1,8" in measure("two.onnx", "--shape", "1,32", *BRIEF)["model_info"]["description"]
    models.save(tmp_path / "both.onnx", nodes, [], [("x", [1, "length"]), ("h", [1, "?"])], [("y", [1, "length"]), ("g", [1, "?"])])
    result = run(tmp_path, "both.onnx", *BRIEF)
    assert "--shape x=1,length --shape h=1,?" in result.stderr, result.stderr


def test_energy_comes_from_the_counters_above_idle(tmp_path, pair, measure):
    zone = tmp_path / "sys/class/powercap/intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "name").write_text("package-0\n")
    (zone / "max_energy_range_uj").write_text("1000000000\n")
    counter = zone / "energy_uj"
    counter.write_text("999000000\n")  # The counter wraps around soon.
    # The power is always 10 W, so no run is above idle.
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
    assert 0 <= found["energy_consumption_mw"] < 3000  # Nearly all of the 10,000 values are idle.
    assert found["energy_mj_per_inference"] >= 0
    absent = measure(pair[0], "--time", "0.5", "--no-memory", "--no-reasons", "--sys-root", tmp_path / "none")
    variant = absent[absent["baseline_variant"]]
    assert "energy_consumption_mw" not in variant
    assert "no energy counters" in variant["not_measured"]["energy_consumption_mw"]


def test_throughput_is_measured_apart_from_latency(pair, measure):
    model = measure(*pair, *BRIEF, "--throughput", "--streams", "2")
    assert model["int8"]["throughput"] > model["fp32"]["throughput"] > 0
    assert model["int8"]["comparison"]["streams"] == 2


def test_ctrl_c_does_not_wait_for_the_end_of_a_block(tmp_path):
    """A block of this model takes seconds; no time limit, only that the JSON has no block."""
    slow = models.dense(tmp_path / "slow.onnx", [1024] * 200, batch=64)
    command = [os.environ["COMPRESSION_BOARD"], "benchmark", str(slow), f"other={slow}", "--time", "600", "-o", "out.json",
               "--no-log", "--no-memory", "--no-energy"]  # fmt: skip
    child = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    child.stderr.readline()  # The first progress.
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=100)
    assert child.returncode == -signal.SIGINT
    assert "interrupted" in errors


def test_a_list_measures_a_failed_evaluation_again(tmp_path, pair):
    suite = tmp_path / "models.yaml"
    (tmp_path / "eval.sh").write_text("exit 1\n")
    suite.write_text(json.dumps({"models": [
        {"name": "first", "variants": ["net_fp32.onnx"], "time": "0.5s", "eval": "sh eval.sh {model}"},
        {"name": "second", "variants": ["net_int8.onnx"], "time": "0.5s"},
    ]}))  # fmt: skip
    flags = ["models.yaml", "--no-memory", "--no-energy", "--no-reasons", "--no-log", "-o", "all.json"]
    assert run(tmp_path, *flags).returncode == 1
    (tmp_path / "eval.sh").write_text("echo 0.5\n")
    again = run(tmp_path, *flags)
    assert again.returncode == 0, again.stderr
    assert "first: is complete" not in again.stdout and "second: is complete" in again.stdout
    assert json.loads((tmp_path / "all.json").read_text())["first"]["net_fp32"]["accuracy"] == 0.5
    longer = run(tmp_path, *flags, "--throughput")
    assert "second: is complete" not in longer.stdout


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
    assert "the results so far are in 'all.json'" in errors
    written = json.loads((tmp_path / "all.json").read_text())
    assert written["first"]["environment"]["complete"]
    assert not written.get("second", {"environment": {"complete": False}})["environment"]["complete"]
    suite.write_text(suite.read_text().replace("sleep 600", "echo 0.5"))
    again = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0, again.stderr
    assert "first: is complete in all.json" in again.stdout
    assert json.loads((tmp_path / "all.json").read_text())["second"]["environment"]["complete"]
