"""A log without values from after quantization is never shown as undamaged, on any page or command."""

import json
import os
import subprocess

import boards
import pytest
import toolkit_like_log
from tensorboardX import SummaryWriter
from test_stages import ask

PROGRAM = os.environ["COMPRESSION_BOARD"]
MODEL = "logs_17112026_120000"


def runs_below(folder):
    return len({path.parent for path in folder.rglob("*tfevents*")})


def serve(folder):
    return boards.compression_board(folder, lambda board: len(board.json("runs")) == runs_below(folder))


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toolkit like")
    toolkit_like_log.write(folder)
    return folder


@pytest.fixture(scope="module")
def board(log):
    with serve(log) as board:
        yield board


def test_two_stages_of_the_float_model_are_not_measured(board):
    answer = ask(board, "compression/layers", a="thresholds_selection", b="post_statistics_collection_substitutions")
    assert set(answer["layers"]["levels"]) == {"unmeasured"}
    assert set(answer["layers"]["judged_db"]) == {None}
    assert answer["counts"] == {"red": 0, "amber": 0, "green": 0, "unmeasured": 6}
    assert "both hold values from before quantization" in answer["not_measured"]
    assert "after_quantization" in answer["not_measured"]  # The stage to log.


def test_neither_stage_is_called_quantized(board):
    sides = ask(board, "compression/sides")
    assert dict(zip(sides["variants"], sides["table_variants"])) == {
        "thresholds_selection": "float", "post_statistics_collection_substitutions": ""}  # fmt: skip
    assert set(sides["values"]) == {"float"}


def test_layers_are_in_the_order_of_the_graph(board):
    answer = ask(board, "compression/layers", a="thresholds_selection", b="post_statistics_collection_substitutions")
    layers = answer["layers"]
    assert answer["order"] == "graph"
    assert sorted(layers["names"], key=lambda name: layers["depths"][layers["names"].index(name)]) == toolkit_like_log.LAYERS


def test_the_model_is_not_checked_to_the_end(board):
    answer = ask(board, "compression/summary", a="float", b="quantized")
    assert answer["models"] == [MODEL]
    [state], [text], [missing] = answer["states"], answer["texts"], answer["not_measured"]
    assert state == "incomplete"
    assert missing == ["drop", "speedup", "layers"]
    assert text == "passes 1 of 3 gates; drop, speedup not measured; layers not measured"
    assert answer["counts"] == {"fail": 0, "watch": 0, "pass": 0, "incomplete": 1, "not_checked": 0}


def test_bytes_per_node_are_those_of_resources(board):
    answer = ask(board, "compression/bytes", model=MODEL, a="float", b="quantized")
    found = {name.rpartition("/")[2]: (a, b) for name, a, b in zip(*(answer["layers"][key] for key in ("names", "a", "b")))}
    assert found == {layer: (toolkit_like_log.FLOAT_BYTES[layer], toolkit_like_log.QUANTIZED_BYTES[layer]) for layer in ("stem", "conv_b", "head")}


def check(folder, gates, *flags):
    contract = folder.parent / "contract.json"
    contract.write_text(json.dumps({"gates": gates}))
    return subprocess.run([PROGRAM, "check", contract, "--logdir", folder, *flags], capture_output=True, text=True)


@pytest.mark.parametrize("gate", [{"metric": "level", "max": "amber"}, {"metric": "sqnr_at_most_db", "min": 20}, {"metric": "kl", "max": 0.1}])
def test_a_contract_over_layers_does_not_pass(log, gate):
    done = check(log, [{"id": "layers", "layers": "*", **gate}])
    assert done.returncode == 1, done.stdout
    assert "pass " not in done.stdout
    assert "not measured" in done.stdout or "no layer that matches" in done.stdout


def test_a_contract_that_is_kept_says_what_it_does_not_cover(log):
    done = check(log, [{"id": "size", "metric": "size_ratio", "min": 3}])
    assert done.returncode == 0
    assert "are not measured" in done.stdout
    [verdict] = [v for v in json.loads(check(log, [{"id": "size", "metric": "size_ratio", "min": 3}], "--json").stdout)["verdicts"] if v["variant"] == "quantized"]
    assert verdict["state"] == "pass" and "size" not in verdict["text"]


def test_the_report_does_not_say_that_it_passes(log, tmp_path):
    out = tmp_path / "report.html"
    done = subprocess.run([PROGRAM, "report", "--logdir", log, "-o", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    html = out.read_text()
    assert "not fully checked" in html and "not measured" in html
    assert 'class="verdict good"' not in html and "∞" not in html


def test_with_outputs_of_the_quantized_model_the_damage_is_found(tmp_path):
    toolkit_like_log.write(tmp_path, sqnr_db=4.3)
    with serve(tmp_path) as board:
        answer = ask(board, "compression/layers", a="float", b="quantized")
        layers = answer["layers"]
        assert set(layers["levels"]) == {"red"}
        for name, db in zip(layers["names"], layers["judged_db"]):
            assert 3 < db < 8, name  # An upper bound, as histograms show it.
        assert ask(board, "compression/summary", a="float", b="quantized")["states"] == ["fail"]


def test_the_same_values_logged_twice_are_not_measured(tmp_path):
    with SummaryWriter(str(tmp_path / "net")) as writer:
        for variant in ("fp32", "int8"):
            writer.add_histogram(f"net/layers/conv1/output/{variant}", toolkit_like_log.outputs("stem"), 0, bins=100)
            writer.add_scalar(f"net/metrics/accuracy/{variant}", 0.9, 0)
    with serve(tmp_path) as board:
        answer = ask(board, "compression/layers", a="fp32", b="int8", model="net")
        assert answer["layers"]["levels"] == ["unmeasured"]
        assert "the same values were logged twice" in answer["layers"]["explanations"][0]


def test_groups_of_add_scalars_are_no_models(tmp_path):
    with SummaryWriter(str(tmp_path / "training")) as writer:
        for step in range(3):
            writer.add_scalars("loss", {"train": 1.0 / (step + 1), "val": 1.1 / (step + 1)}, step)
            writer.add_scalars("epoch/accuracy", {"train": 0.5, "val": 0.4}, step)
            writer.add_scalars("sweep/accuracy", {"lr0.1": 0.5, "lr0.01": 0.6}, step)
            writer.add_scalars("heads/loss", {"box": 0.5, "cls": 0.6}, step)
            writer.add_scalars("paper/accuracy", {"baseline": 0.5, "ours": 0.6}, step)
        writer.add_scalars("resnet18/accuracy", {"fp32": 0.7, "int8": 0.69}, 0)
    with serve(tmp_path) as board:
        assert ask(board, "compression/table")["models"] == ["resnet18"]


def test_one_gate_of_three_is_no_pass(tmp_path):
    with SummaryWriter(str(tmp_path / "net")) as writer:
        writer.add_scalar("net/metrics/accuracy/fp32", 0.9, 0)
        writer.add_scalar("net/metrics/accuracy/int8", 0.9, 0)
        writer.add_scalar("blank/performance/power_hint/fp32", 1, 0)
        writer.add_scalar("blank/performance/power_hint/int8", 1, 0)
    with serve(tmp_path) as board:
        answer = ask(board, "compression/summary", a="fp32", b="int8")
        verdicts = dict(zip(answer["models"], zip(answer["states"], answer["texts"])))
        assert verdicts["net"] == ("incomplete", "passes 1 of 3 gates; ratio, speedup not measured")
        assert verdicts["blank"] == ("not_checked", "not checked: drop, ratio, speedup not measured")
