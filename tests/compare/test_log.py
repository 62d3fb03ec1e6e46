"""The log of compare --logdir: stock TensorBoard reads all of it, and our board ranks layers by it.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import numpy as np
import onnx
import onnxruntime
import pytest
from conftest import run_compare
from digits_models import Editor
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from test_digits import outlier_channel

sys.path.append(str(Path(__file__).resolve().parents[1] / "server"))
from running_board import RunningBoard  # noqa: E402


def opened(folder):
    events = EventAccumulator(
        str(folder), size_guidance={kind: 0 for kind in ("scalars", "histograms", "tensors")}
    )
    return events.Reload()


@pytest.fixture(scope="module")
def log(digits, tmp_path_factory):
    """Returns the log of a comparison with a wrong scale in conv2, and the output of --json for it.
    """
    model = Editor(digits.int8)
    model.set("conv2.weight_scale", model.get("conv2.weight_scale") * np.float32(0.5))
    broken = model.save(digits.folder / "logged.onnx")
    folder = tmp_path_factory.mktemp("log")
    result = run_compare(
        digits.fp32, broken, "--data", digits.data, "--samples", 8, "--logdir", folder
    )
    assert result.returncode == 0, result.stderr
    assert f"--logdir {folder}" in result.stdout
    return folder, broken


def test_numbers_are_scalars(log, digits, compare):
    folder, broken = log
    report = compare(digits.fp32, broken, "--data", digits.data, "--samples", 8)
    events = opened(folder)
    for layer in report["layers"]:
        if not layer["weight"]:
            continue
        tag = "digits/layers/" + layer["name"].lstrip("/")
        value = lambda metric, variant="int8": events.Scalars(f"{tag}/{metric}/{variant}")[-1].value  # noqa: E731
        own = min(layer["weight"]["sqnr_db"], layer["local"]["sqnr_db"])
        if layer["bias_shift"]:
            own = min(own, -20 * np.log10(layer["bias_shift"]))
        assert value("sqnr_db") == pytest.approx(own, rel=1e-6)
        assert value("worst_channel_sqnr_db") == pytest.approx(
            layer["weight"]["worst_channel_sqnr_db"], rel=1e-6
        )
        assert value("worst_channel") == layer["weight"]["worst_channel"]
        assert value("accumulated_sqnr_db") == pytest.approx(
            layer["accumulated"]["sqnr_db"], rel=1e-6
        )
        worse = min(layer["weight"], layer["local"], key=lambda part: part["sqnr_db"])
        assert value("cosine") == pytest.approx(worse["cosine"], rel=1e-6)
        assert value("bytes") == layer["variant_bytes"]
        assert value("bytes", "fp32") == layer["baseline_bytes"]


def test_sizes_of_the_files_are_metrics_that_the_report_begins_with(log, digits, tmp_path):
    folder, broken = log
    events = opened(folder)
    for path, variant in ((digits.fp32, "fp32"), (broken, "int8")):
        (size,) = events.Scalars(f"digits/performance/model_size_mb/{variant}")
        assert size.value == pytest.approx(path.stat().st_size / 1e6, rel=1e-6)
    out = tmp_path / "report.html"
    program = os.environ["COMPRESSION_BOARD"]
    subprocess.run([program, "report", "--logdir", str(folder), "-o", str(out)], check=True)
    html = out.read_text()
    assert "Model size" in html and "/conv2/Conv" in html


def check(folder, contract, *flags):
    path = folder.parent / "contract.yaml"
    path.write_text(contract)
    command = [os.environ["COMPRESSION_BOARD"], "check", path, "--logdir", folder, *flags]
    return subprocess.run([str(word) for word in command], capture_output=True, text=True)


def test_a_contract_finds_the_layer_that_was_broken(log, digits, compare):
    folder, broken = log
    found = compare(digits.fp32, broken, "--data", digits.data, "--samples", 8)["layers"]
    result = check(folder, """
gates:
  - {id: no red, layers: "*", metric: level, max: amber}
  - {id: convolutions, layers: "conv*", metric: local_sqnr_db, min: 20}
  - {id: others, layers: "*", except: "conv2*", metric: worst_channel_sqnr_db, min: 10}
  - {id: small, metric: size_ratio, min: 1.5}
""", "--json")
    assert (result.returncode, result.stderr) == (1, "")
    said = {each["gate"]: each for each in json.loads(result.stdout)["results"]}
    assert {gate: each["outcome"] for gate, each in said.items()} == {
        "no red": "fail", "convolutions": "fail", "others": "pass", "small": "pass",
    }
    assert [layer["layer"] for layer in said["no red"]["broken"]] == [
        layer["name"] for layer in found if layer["level"] == "red"
    ]
    # Halving a scale halves every value: an error as large as half of it.
    (layer,) = said["convolutions"]["broken"]
    assert layer["layer"] == "/conv2/Conv" and layer["value"] == pytest.approx(6.02, abs=0.2)


def test_a_contract_passes_what_is_sound(digits, tmp_path):
    folder = tmp_path / "log"
    flags = ["--data", digits.data, "--samples", 8, "--logdir", folder]
    assert run_compare(digits.fp32, digits.int8, *flags).returncode == 0
    result = check(folder, """
gates:
  - {layers: "*", metric: level, max: amber}
  - {layers: [conv1*, conv2*, conv3*, head*], metric: cosine, min: 0.99}
""")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout


def test_the_board_says_of_layers_what_compare_says(digits, tmp_path, compare):
    """Also where only one who knows the channels can see the damage."""
    fp32 = outlier_channel(digits)
    int8 = tmp_path / "int8.onnx"
    digits.quantize(fp32, int8, per_channel=True)
    flags = [fp32, int8, "--data", digits.data, "--samples", 8]
    found = {layer["name"]: layer for layer in compare(*flags)["layers"]}
    assert "red" in {layer["level"] for layer in found.values()}
    assert run_compare(*flags, "--logdir", tmp_path / "log").returncode == 0
    with RunningBoard("--logdir", tmp_path / "log") as board:
        path = f"/api/v1/compression/layers?a=fp32&b=int8&model={fp32.stem}"
        status, ranking = board.json(path)
    assert status == 200, ranking
    layers = ranking["layers"]
    rows = zip(layers["names"], layers["levels"], layers["causes"], layers["sqnr_db"])
    said = {name: (level, cause) for name, level, cause, sqnr in rows if sqnr is not None}
    assert said == {name: (layer["level"], layer["cause"]) for name, layer in found.items()}
    reds = [name for name, layer in found.items() if layer["level"] == "red"]
    assert layers["names"][: len(reds)] == reds


def test_histograms_hold_every_weight_and_output(log, digits):
    events = opened(log[0])
    weights = Editor(digits.fp32).get("conv2.weight")
    for variant in ("fp32", "int8"):
        histogram = events.Histograms(f"digits/layers/conv2/Conv/weight/{variant}")[0]
        assert histogram.histogram_value.num == weights.size
        assert sum(histogram.histogram_value.bucket) == weights.size
        output = events.Histograms(f"digits/layers/conv2/Conv/output/{variant}")[0]
        assert output.histogram_value.num == 8 * 16 * 8 * 8
    fp32 = events.Histograms("digits/layers/conv2/Conv/weight/fp32")[0].histogram_value
    assert fp32.min == pytest.approx(weights.min()) and fp32.max == pytest.approx(weights.max())


def test_channels_are_steps(log, digits):
    folder, broken = log
    codes = Editor(broken)
    sides = {
        "fp32": Editor(digits.fp32).get("conv2.weight"),
        "int8": codes.get("conv2.weight_quantized") * codes.get("conv2.weight_scale"),
    }
    for variant, weights in sides.items():
        rows = weights.reshape(len(weights), -1)
        for name, values in (("min", rows.min(1)), ("max", rows.max(1)), ("mean", rows.mean(1))):
            events = opened(folder / variant / f"{name}_per_channel")
            points = events.Scalars("digits/channels/conv2/Conv/weight")
            assert [point.step for point in points] == list(range(16))
            assert [point.value for point in points] == pytest.approx(list(values), abs=1e-6)
            assert len(events.Scalars("digits/channels/conv2/Conv/output")) == 16


def test_graphs_name_every_node_and_carry_what_was_found(log, digits):
    folder, broken = log
    for variant, path in (("fp32", digits.fp32), ("int8", broken)):
        graph = opened(folder / variant).Graph()
        assert isinstance(graph, GraphDef)
        nodes = {node.name: node for node in graph.node}
        assert len(nodes) == len(graph.node)
        names = {node.name.lstrip("/") for node in onnx.load(str(path)).graph.node}
        assert names <= nodes.keys()
        for node in graph.node:  # Every edge ends at a node.
            assert {name.split(":")[0] for name in node.input} <= nodes.keys()
        conv2 = nodes["conv2/Conv"]
        assert conv2.op == "Conv"
        assert conv2.attr["weight_bits"].i == (8 if variant == "int8" else 32)
        if variant == "int8":
            assert conv2.attr["level"].s == b"red"
            assert conv2.attr["cause"].s == b"wrong_scale"
        else:  # The diagnosis belongs to the other node.
            assert not {"bits", "level", "cause"} & set(conv2.attr)


def test_resources_add_up_to_the_weights(log, digits):
    events = opened(log[0] / "fp32")
    metadata = events.RunMetadata("Resources")
    assert isinstance(metadata, RunMetadata)
    nodes = {
        stats.node_name: sum(memory.total_bytes for memory in stats.memory)
        for device in metadata.step_stats.dev_stats
        for stats in device.node_stats
    }
    assert nodes.keys() <= {node.name for node in events.Graph().node}
    fp32 = Editor(digits.fp32)
    want = sum(fp32.get(name).nbytes for name in ("conv2.weight", "conv2.bias"))
    assert nodes["conv2/Conv"] == want


def test_the_board_has_layers_in_the_order_of_execution(log, digits, compare):
    folder, broken = log
    layers = compare(digits.fp32, broken, "--data", digits.data, "--samples", 8)["layers"]
    want = [layer["name"] for layer in sorted(layers, key=lambda layer: (layer["depth"], bool(layer["node"])))]
    with RunningBoard("--logdir", folder) as board:
        status, ranking = board.json("/api/v1/compression/layers?a=fp32&b=int8&model=digits")
    assert status == 200, ranking
    found = ranking["layers"]
    depths = dict(zip(found["names"], found["depths"]))
    assert sorted(depths, key=depths.get) == [name for name in want if name in depths]
    assert [layer["name"] for layer in layers] != want, "the worst first is another order"


def test_similarity_runs_along_depth(log, digits):
    folder, broken = log
    events = opened(folder / "int8")
    cosines = [point.value for point in events.Scalars("digits/similarity/cosine")]
    samples = [
        [point.value for point in events.Scalars(f"digits/similarity/cosine_sample_{i}")]
        for i in range(8)
    ]
    assert all(len(sample) == len(cosines) for sample in samples)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    x, y = (
        onnxruntime.InferenceSession(str(model), options).run(
            ["logits"], {"image": digits.images[:8]}
        )[0]
        for model in (digits.fp32, broken)
    )
    for i in range(8):
        want = (x[i] * y[i]).sum() / np.linalg.norm(x[i]) / np.linalg.norm(y[i])
        assert samples[i][-1] == pytest.approx(want, abs=1e-5)
    assert "digits/compare/text_summary" in opened(folder).Tags()["tensors"]


def test_our_board_ranks_the_same_layer_first(log):
    with RunningBoard("--logdir", log[0]) as board:
        status, sides = board.json("/api/v1/compression/sides")
        assert status == 200 and "int8" in str(sides) and "fp32" in str(sides)
        status, ranking = board.json("/api/v1/compression/layers?a=fp32&b=int8&model=digits")
    assert status == 200, ranking
    layers = ranking["layers"]
    assert layers["names"][0] == "/conv2/Conv" and layers["levels"][0] == "red"
    # A node that only passes values on is not damaged, although they differ from the baseline's.
    assert layers["levels"][layers["names"].index("/MaxPool")] == "green"


def test_our_board_names_layers_as_the_model_does(log, digits):
    """Tags lose the leading slash, which the setting that keeps a layer in float needs."""
    graph = onnx.load(digits.fp32).graph
    nodes = {node.name for node in (*graph.node, *graph.input)}
    with RunningBoard("--logdir", log[0]) as board:
        status, ranking = board.json("/api/v1/compression/layers?a=fp32&b=int8&model=digits")
        assert status == 200, ranking
        layers = ranking["layers"]
        assert set(layers["names"]) <= nodes
        assert set(layers["fallback_operations"]) <= nodes
        _, bytes_of = board.json("/api/v1/compression/bytes?a=fp32&b=int8&model=digits")
        assert set(bytes_of["layers"]["names"]) <= nodes
        status, channels = board.json("/api/v1/compression/channels?layer=/conv2/Conv&tensor=weight")
        assert status == 200, channels
    weights = Editor(digits.fp32).get("conv2.weight")
    fp32, int8 = channels["stages"]
    assert (fp32["stage"], int8["stage"]) == ("fp32", "int8")
    assert fp32["channels"]["max"] == pytest.approx(weights.reshape(len(weights), -1).max(axis=1))


def test_two_models_of_one_directory_keep_their_layers_apart(log, digits, tmp_path):
    """The same layers twice: damaged in one model, undamaged in the other."""
    other, sound = tmp_path / "other.onnx", tmp_path / "sound.onnx"
    shutil.copy(digits.fp32, other)
    digits.quantize(other, sound)
    for fp32, int8 in ((digits.fp32, log[1]), (other, sound)):
        done = run_compare(fp32, int8, "--data", digits.data, "--logdir", tmp_path / "log")
        assert done.returncode == 0, done.stderr
    with RunningBoard("--logdir", tmp_path / "log") as board:
        answers = {}
        for model in ("digits", "other"):
            pair = f"a=fp32&b=int8&model={model}"
            answers[model] = board.json(f"/api/v1/compression/layers?{pair}")[1]["layers"]
            where = f"layer=/conv2/Conv&tensor=weight&model={model}"
            stages = board.json(f"/api/v1/compression/channels?{where}")[1]["stages"]
            weights = Editor(log[1] if model == "digits" else sound)
            rows = weights.get("conv2.weight_quantized").reshape(16, -1)
            scale = weights.get("conv2.weight_scale")
            ours = stages[[stage["stage"] for stage in stages].index("int8")]["channels"]
            assert ours["max"] == pytest.approx(list(rows.max(1) * scale.reshape(-1)), rel=1e-6)
    for layers in answers.values():
        assert len(set(zip(layers["names"], layers["roles"]))) == len(layers["names"])
    assert sorted(answers["digits"]["names"]) == sorted(answers["other"]["names"])
    assert "red" in answers["digits"]["levels"] and "red" not in answers["other"]["levels"]


@pytest.fixture(scope="module")
def two_models(log, digits, tmp_path_factory):
    """Returns the log of a digits network, of another one with one layer less, and of both again.
    """
    folder = tmp_path_factory.mktemp("two")
    short = folder / "my short.onnx"
    onnx.utils.extract_model(str(digits.fp32), str(short), ["image"], ["/conv2/Conv_output_0"])
    digits.quantize(short, folder / "short_int8.onnx")
    for fp32, int8 in 2 * [(digits.fp32, log[1]), (short, folder / "short_int8.onnx")]:
        flags = ["--data", digits.data, "--samples", 8, "--logdir", folder / "log"]
        done = run_compare(fp32, int8, *flags)
        assert done.returncode == 0, done.stderr
    return folder / "log", {
        "digits": {"fp32": digits.fp32, "int8": log[1]},
        "my short": {"fp32": short, "int8": folder / "short_int8.onnx"},
    }


def test_two_models_of_one_directory_keep_their_graphs_apart(two_models):
    folder, models = two_models
    with RunningBoard("--logdir", folder) as board:
        _, graphs = board.json("/api/v1/graphs")
        sources = list(zip(graphs["runs"], graphs["models"], graphs["variants"]))
        assert sources == [
            ("fp32", "digits", "fp32"), ("int8", "digits", "int8"),
            ("my short/fp32", "my short", "fp32"), ("my short/int8", "my short", "int8"),
        ]  # fmt: skip
        assert {*board.json("/api/v1/compression/sides")[1]["models"]} == {*graphs["models"]}
        for run, model, variant in sources:
            path = f"run={quote(run)}"
            graph = onnx.load(models[model][variant]).graph
            names = [node.name for node in graph.node]
            found = [
                board.json(f"/api/v1/graphs/node?{path}&path={quote(name.lstrip('/'), safe='')}")[0]
                for name in names
            ]
            assert found == [200] * len(names)
            _, memory = board.json(f"/api/v1/graphs/memory?{path}")
            # The input is also a node; nodes that only dequantize weights belong to their users.
            constants = {constant.name for constant in graph.initializer}
            computing = [node for node in graph.node if not constants.issuperset(node.input)]
            assert memory["a"]["operations"] == len(computing) + 1
            status, _ = board.json(f"/api/v1/graphs/node?{path}&path=head%2FGemm")
            assert status == (200 if model == "digits" else 404)


def test_the_same_comparison_again_takes_the_place_of_the_one_before(two_models, log):
    folder, _ = two_models
    tag = "digits/similarity/cosine"
    once = [point.value for point in opened(log[0] / "int8").Scalars(tag)]
    twice = [point.value for point in opened(folder / "int8").Scalars(tag)]
    assert twice == once
    channels = opened(folder / "int8" / "max_per_channel")
    assert len(channels.Scalars("digits/channels/conv2/Conv/weight")) == 16
    with RunningBoard("--logdir", folder) as board:
        _, answer = board.json(f"/api/v1/scalars?run=int8&tag={quote(tag)}")
    assert answer["series"][0]["values"] == pytest.approx(once)


@pytest.fixture(scope="module")
def verified(digits, tmp_path_factory):
    """Returns the log of a comparison with restored parts, and its --json output."""
    folder = tmp_path_factory.mktemp("verified")
    fp32, int8 = outlier_channel(digits), folder / "int8.onnx"
    digits.quantize(fp32, int8)
    flags = ["--data", digits.data, "--verify", "--logdir", folder / "log", "--json"]
    result = run_compare(fp32, int8, *flags)
    assert result.returncode == 0, result.stderr
    return folder / "log", fp32.stem, json.loads(result.stdout)


def test_tensorboard_reads_what_was_verified(verified):
    folder, model, report = verified
    events = opened(folder)
    before = report["verified"][0]["sqnr_db"]
    parts = [run for run in report["verified"] if run["restored"] == "parts"]
    alone = [run for run in parts if len(run["parts"]) == 1]
    assert len(alone) >= 4
    for run in alone:
        (part,) = run["parts"]
        tag = f"{model}/layers/{part['layer'].lstrip('/')}/restored_{part['part']}_gain_db/int8"
        (point,) = events.Scalars(tag)
        assert point.value == pytest.approx(run["sqnr_db"] - before, abs=1e-5)
    curve = {point.step: point.value for point in events.Scalars(f"{model}/verified/sqnr_db/int8")}
    want = {n: max(r["sqnr_db"] for r in parts if len(r["parts"]) == n) for n in (1, 2, 3)}
    assert curve == pytest.approx({0: before, **want}, abs=1e-5)
    (table,) = events.Tensors(f"{model}/verified/int8/text_summary")
    rows = table.tensor_proto.string_val[0].decode().splitlines()[4:]
    assert [row.split(" | ")[0].lstrip("| ") for row in rows] == [
        run["text"] for run in report["verified"]
    ]
    (runs,) = events.Tensors(f"{model}/verified/runs/int8")
    logged = json.loads(runs.tensor_proto.string_val[0])
    assert logged["v"] == 1 and logged["samples"] == report["samples"]
    assert logged["verified"] == report["verified"]


def test_our_board_says_which_parts_to_keep_in_float(verified):
    folder, model, report = verified
    with RunningBoard("--logdir", folder) as board:
        status, ranking = board.json(f"/api/v1/compression/layers?a=fp32&b=int8&model={model}")
    assert status == 200, ranking
    found = ranking["verified"]
    best = max(
        (run for run in report["verified"] if run["restored"] == "parts"),
        key=lambda run: run["sqnr_db"],
    )
    assert report["verified"][found["best"]] == best
    assert found["texts"][found["best"]] == best["text"]
    assert found["summary"].startswith(f"these {len(best['parts'])} parts in float bring the end")
    layers = ranking["layers"]
    gains = {
        (name, role): gain
        for name, role, gain in zip(layers["names"], layers["roles"], layers["restored_alone_db"])
        if gain is not None
    }
    before = report["verified"][0]["sqnr_db"]
    assert gains == pytest.approx({
        (run["parts"][0]["layer"], run["parts"][0]["part"]): run["sqnr_db"] - before
        for run in report["verified"]
        if run["restored"] == "parts" and len(run["parts"]) == 1
    })  # fmt: skip


def test_nothing_is_logged_of_what_nobody_verified(log):
    tags = opened(log[0]).Tags()
    assert not [tag for kind in ("scalars", "tensors") for tag in tags[kind] if "verified" in tag]
    with RunningBoard("--logdir", log[0]) as board:
        _, ranking = board.json("/api/v1/compression/layers?a=fp32&b=int8&model=digits")
    assert ranking["verified"] is None
    assert set(ranking["layers"]["restored_alone_db"]) == {None}
