"""Tests compression-board import with layer reports, and export of node data."""

import csv
import json
import os
import subprocess
import urllib.request

import boards
import pytest


def run(*arguments, cwd, code=0):
    done = subprocess.run([os.environ["COMPRESSION_BOARD"], *map(str, arguments)], cwd=cwd,
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout if code == 0 else done.stderr


def exported(logdir, cwd):
    lines = run("export", "--logdir", logdir, cwd=cwd).splitlines()
    return {(row["run"], row["tag"]): float(row["value"]) for row in csv.DictReader(lines)}


def layers(logdir):
    """Returns data of the Layers page, with its default pair."""
    with boards.compression_board(logdir, lambda board: board.json("runs")) as board:
        with urllib.request.urlopen(f"{board.root}/api/v1/compression/sides") as answer:
            sides = json.load(answer)
        assert sides["variants"] == ["fp32", "int8"]
        with urllib.request.urlopen(f"{board.root}/api/v1/compression/layers?a=fp32&b=int8") as answer:
            return json.load(answer)["layers"]


def test_reports_of_aimet_come_together_in_one_run(tmp_path):
    folder = tmp_path / "resnet18"
    (folder / "min_max_ranges").mkdir(parents=True)
    (folder / "per_layer_quant_enabled.json").write_text(json.dumps({"conv1": 0.70, "fc": 0.61}))
    (folder / "per_layer_mse_loss.json").write_text('{"conv1": 0.002, "fc": NaN}')
    (folder / "min_max_ranges" / "activations.json").write_text(json.dumps({"fc_output_0": [-3, 4]}))
    said = run("import", *sorted(folder.rglob("*.json")), cwd=tmp_path)
    assert "resnet18: 2 layers" in said and "--logdir runs/layers" in said
    values = exported("runs/layers", tmp_path)
    assert {run for run, _ in values} == {"resnet18"}
    assert values["resnet18", "resnet18/layers/conv1/score_if_only_this_is_quantized/int8"] == pytest.approx(0.7)
    assert values["resnet18", "resnet18/layers/fc/range_max/int8"] == 4
    shown = layers(tmp_path / "runs/layers")
    assert shown["names"] == ["fc", "conv1"], "the more sensitive layer first"
    assert shown["levels"] == ["red", "green"]


def test_the_tflite_debuggers_table_fills_the_page_of_layers(tmp_path):
    with open(tmp_path / "mobilenet.csv", "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["op_name", "tensor_idx", "num_elements", "stddev", "mean_error", "max_abs_error",
                        "mean_squared_error", "scale", "zero_point", "tensor_name"])  # fmt: skip
        table.writerow(["CONV_2D", 3, 100, 0.01, 0, 0.02, (0.29 * 0.1) ** 2, 0.1, 0, "a;b, c"])
        table.writerow(["FULLY_CONNECTED", 5, 10, 1, 0, 3, (1.4 * 0.1) ** 2, 0.1, 0, "model/fc"])
    run("import", "mobilenet.csv", "--logdir", "here", cwd=tmp_path)
    shown = layers(tmp_path / "here")
    assert shown["names"] == ["model/fc", "a;b, c"]
    assert shown["levels"] == ["red", "green"]
    assert "1.4 steps" in shown["explanations"][0]


def test_quant_report_gives_decibels_and_comes_out_for_model_explorer(tmp_path):
    report = {"output_similarity_metrics_val": {"mse": 0.1, "cs": 0.9, "sqnr": 10.0},
              "intermediate_similarity_metrics_val": {"conv1": {"mse": 0.1, "cs": 0.999, "sqnr": 1e4},
                                                      "fc": {"mse": 0.2, "cs": 0.8, "sqnr": 10.0}}}  # fmt: skip
    (tmp_path / "quant_report.json").write_text(json.dumps(report))
    run("import", "quant_report.json", "--model", "net", cwd=tmp_path)
    shown = layers(tmp_path / "runs/layers")
    assert shown["names"] == ["fc", "conv1"] and shown["sqnr_db"] == [10, 40]
    data = json.loads(run("export", "--logdir", "runs/layers", "--format", "model-explorer", cwd=tmp_path))
    assert data["net"]["results"] == {"conv1": {"value": 40}, "fc": {"value": 10}}
    assert [item["stop"] for item in data["net"]["gradient"]] == [0, 1]
    said = run("export", "--logdir", "runs/layers", "--format", "model-explorer", "--metric", "kl",
               cwd=tmp_path, code=1)  # fmt: skip
    assert "no layer of variant 'int8' has the metric 'kl'; the log has cosine, mse, sqnr_db" in said


def test_node_data_of_model_explorer_comes_back(tmp_path):
    (tmp_path / "latency.json").write_text(json.dumps({"main": {"results": {"conv1": {"value": 1.5}}}}))
    run("import", "latency.json", cwd=tmp_path)
    assert exported("runs/layers", tmp_path) == {("main", "main/layers/conv1/latency/int8"): 1.5}


def test_neural_compressors_tables_say_what_their_error_is(tmp_path):
    (tmp_path / "activations_table.csv").write_text(
        "OP name,MSE,Activation min,Activation max\nconv0,0.002,0.0,20.5\n")  # fmt: skip
    said = run("import", "activations_table.csv", "--model", "m", "--variant", "int8", cwd=tmp_path)
    assert "note: neural-compressor stretches each tensor" in said
    assert exported("runs/layers", tmp_path)["m", "m/layers/conv0/range_max/int8"] == 20.5


def test_benchmarks_are_still_benchmarks(tmp_path):
    (tmp_path / "results.json").write_text(
        json.dumps({"net": {"fp32": {"accuracy": 0.9}, "int8": {"accuracy": 0.8}}}))  # fmt: skip
    assert "1 model" in run("import", "results.json", cwd=tmp_path)
    assert (tmp_path / "runs/compression_benchmark/results/net").is_dir()


def test_what_cannot_be_read_is_said(tmp_path):
    (tmp_path / "x.csv").write_text("tensor_name,mean_squared_error\na,1,2\n")
    assert "x.csv:2: the row has 3 fields" in run("import", "x.csv", cwd=tmp_path, code=1)
    (tmp_path / "quant_report.json").write_text("{")
    said = run("import", "quant_report.json", "--format", "mct", cwd=tmp_path, code=1)
    assert "quant_report.json:1:" in said
    assert "there is no kind 'xml'" in run("import", "x.csv", "--format", "xml", cwd=tmp_path, code=2)
    assert not (tmp_path / "runs").exists()
