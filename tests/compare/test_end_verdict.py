"""The verdict depends on the outputs of the network: broken if people would notice it, sound if
not. ONNX Runtime and numpy give the truth."""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from conftest import run_compare
from end_models import attention, detector, images, quantize, sentences
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "server"))
from running_board import RunningBoard  # noqa: E402


def outputs_of(path, name, samples):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(str(path), options)
    return np.concatenate([session.run(None, {name: sample[None]})[0] for sample in samples])


def sqnr_db(x, y):
    return 10 * np.log10((x.astype(float) ** 2).sum() / ((x.astype(float) - y) ** 2).sum())


@pytest.fixture(scope="module")
def compare():
    """Like conftest's function, but with progress on stderr, because real networks take a while."""

    def run(*arguments):
        result = run_compare(*arguments, "--json")
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


def reds(report):
    return [layer["name"] for layer in report["layers"] if layer["level"] == "red"]


class Network:
    def __init__(self, folder, make, name, samples):
        self.folder, self.name = folder, name
        self.fp32 = make(folder / "fp32.onnx")
        self.calibration, self.samples = samples(20, seed=11), samples(20, seed=12)
        self.data = folder / "data.npz"
        np.savez(self.data, **{name: self.samples})

    def quantize(self, file, **options):
        return quantize(self.fp32, self.folder / file, self.name, self.calibration, **options)

    def outputs(self, path):
        return outputs_of(path, self.name, self.samples)


@pytest.fixture(scope="module")
def yolo(tmp_path_factory):
    return Network(tmp_path_factory.mktemp("yolo"), detector, "image", images)


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    return Network(tmp_path_factory.mktemp("bert"), attention, "words", sentences)


def test_scores_that_share_the_scale_of_boxes_are_broken_and_the_concat_is_named(yolo, compare):
    int8 = yolo.quantize("int8.onnx")
    before, after = yolo.outputs(yolo.fp32), yolo.outputs(int8)
    # The truth: detections exist in float and are gone in int8, and the average hides it.
    assert (before[:, 4:] > 0.25).sum() > 50
    assert np.unique(after[:, 4:]).size <= 2
    assert sqnr_db(before, after) > 30
    report = compare(yolo.fp32, int8, "--data", yolo.data)
    verdict = report["verdict"]
    assert verdict["level"] == "broken" and verdict["sentence"].startswith("Broken: ")
    assert verdict["samples"] == 20 and not verdict["is_generated"]
    (output,) = verdict["outputs"]
    assert (output["name"], output["axis"], output["channels"]) == ("output0", 1, 18)
    boxes, scores = output["heads"]
    assert (boxes["first_channel"], boxes["channel_count"], boxes["level"]) == (0, 4, "sound")
    assert (scores["first_channel"], scores["channel_count"]) == (4, 14)
    assert (scores["level"], scores["use"]) == ("broken", "scores")
    assert scores["sqnr_db"] == pytest.approx(sqnr_db(before[:, 4:], after[:, 4:]), abs=0.01)
    assert boxes["sqnr_db"] == pytest.approx(sqnr_db(before[:, :4], after[:, :4]), abs=0.01)
    assert reds(report)[0] == "output0_node"
    assert verdict["suspects"][0]["layer"] == "output0_node"
    suspect, worst = verdict["suspects"][0], report["layers"][0]
    assert worst["cause"] == suspect["cause"] == "shared_scale" and suspect["is_measured"]
    assert worst["output_axis"] == 1 and len(worst["accumulated"]["channels"]["sqnr_db"]) == 18
    assert suspect["fixes"][0]["level"] == "sound" and suspect["fixes"][0]["setting"]
    assert suspect["fixes"][0]["sqnr_db"] > suspect["sqnr_db"] + 15
    assert "output0_node" in report["keep_float"]["onnxruntime"]


def test_inputs_of_another_scale_are_one_cause_and_the_input_is_named(yolo, compare):
    pictures = Network.__new__(Network)
    pictures.__dict__ = {**yolo.__dict__, "calibration": yolo.calibration * 255}
    wrong = pictures.quantize(
        "wrong_scale.onnx", nodes_to_exclude=["output0_node"], per_channel=True
    )
    report = compare(yolo.fp32, wrong, "--data", yolo.data)
    assert report["verdict"]["level"] == "broken"
    suspect = report["verdict"]["suspects"][0]
    assert (suspect["layer"], suspect["cause"]) == ("image", "calibration"), suspect
    assert reds(report) == ["image"]
    assert "calibrat" in suspect["fixes"][0]["action"]


def test_quick_leaves_the_measured_blame_out_and_says_so(yolo, compare):
    report = compare(yolo.fp32, yolo.quantize("int8.onnx"), "--data", yolo.data, "--quick")
    verdict = report["verdict"]
    assert "--quick" in verdict["blame_note"] and verdict["level"] == "broken"
    assert verdict["suspects"] and not verdict["suspects"][0]["is_measured"] and reds(report)


def test_channels_are_those_of_the_concat_behind_a_transpose(yolo, compare, tmp_path):
    fp32, int8 = detector(tmp_path / "fp32.onnx", is_transposed=True), tmp_path / "int8.onnx"
    quantize(fp32, int8, "image", yolo.calibration)
    verdict = compare(fp32, int8, "--data", yolo.data)["verdict"]
    (output,) = verdict["outputs"]
    assert (output["shape"], output["axis"], output["channels"]) == ([1, 400, 18], 2, 18)
    assert [head["channel_count"] for head in output["heads"]] == [4, 14]
    assert verdict["level"] == "broken" and verdict["suspects"]


def test_the_named_fix_makes_the_detector_sound(yolo, compare):
    broken = compare(yolo.fp32, yolo.quantize("int8.onnx"), "--data", yolo.data)
    nodes = broken["layers"][0]["float_nodes"]
    fixed = yolo.quantize("fixed.onnx", nodes_to_exclude=nodes, per_channel=True)
    report = compare(yolo.fp32, fixed, "--data", yolo.data)
    assert report["verdict"]["level"] == "sound", report["verdict"]
    assert reds(report) == [] and report["verdict"]["suspects"] == []


def test_scores_that_collapse_to_one_value_are_called_so(yolo, compare):
    symmetric = yolo.quantize(
        "s8.onnx", activation_type=onnxruntime.quantization.QuantType.QInt8,
        extra_options={"ActivationSymmetric": True},
    )
    after = yolo.outputs(symmetric)[:, 4:]
    assert after.min() == after.max() == 0
    verdict = compare(yolo.fp32, symmetric, "--data", yolo.data)["verdict"]
    scores = verdict["outputs"][0]["heads"][1]
    assert scores["is_collapsed"] and scores["level"] == verdict["level"] == "broken"
    assert verdict["measure"] == "collapsed" and "all values became 0" in verdict["sentence"]


def test_a_mask_that_stretches_a_range_breaks_the_end_and_is_named(bert, compare):
    int8 = bert.quantize("int8.onnx", per_channel=True)
    before, after = bert.outputs(bert.fp32), bert.outputs(int8)
    agreement = (before.argmax(-1) == after.argmax(-1)).mean()
    assert agreement < 0.8 and sqnr_db(before, after) < 10
    report = compare(bert.fp32, int8, "--data", bert.data)
    verdict = report["verdict"]
    assert verdict["level"] == "broken", verdict
    (head,) = verdict["outputs"][0]["heads"]
    assert (head["use"], head["channel_count"]) == ("logits", 8)
    assert verdict["outputs"][0]["axis"] == 2
    assert head["sqnr_db"] == pytest.approx(sqnr_db(before, after), abs=0.01)
    assert verdict["suspects"][0]["layer"] in ("block0.masked_node", "block1.masked_node")
    assert verdict["suspects"][0]["cause"] == "mask"
    assert verdict["suspects"][0]["fixes"][0]["level"] != "broken"
    assert set(reds(report)) & {"block0.masked_node", "block1.masked_node"}
    # The truth: with a smaller mask, or both sums in float, the same quantizer gives good results.
    smaller = attention(bert.folder / "smaller.onnx", mask=-50.0)
    assert sqnr_db(before, bert.outputs(smaller)) > 100
    int8 = quantize(smaller, bert.folder / "smaller_int8.onnx", "words", bert.calibration,
                    per_channel=True)
    found = compare(smaller, int8, "--data", bert.data)
    assert found["verdict"]["level"] != "broken" and reds(found) == []


def test_the_first_line_the_log_and_the_exit_code_say_it(yolo, tmp_path):
    int8 = yolo.quantize("int8.onnx")
    flags = [yolo.fp32, int8, "--data", yolo.data]
    told = run_compare(*flags, "--logdir", tmp_path / "log")
    assert told.returncode == 0 and told.stdout.startswith("Broken: output 'output0[4:18]' (scores)")
    first, second = told.stdout.splitlines()[:2]
    assert "20 samples" in first and second.startswith("Cause: 'output0_node'")
    # The table contains the same SQNR as the sentence.
    (row,) = (line.split() for line in told.stdout.splitlines() if line.startswith("broken "))
    assert row[row.index("scores") + 3] == re.search(r"SQNR (\S+) dB", first)[1], row
    assert run_compare(*flags, "--fail-on", "broken").returncode == 1
    sound = yolo.quantize("sound.onnx", op_types_to_quantize=["Conv"], per_channel=True)
    assert run_compare(yolo.fp32, sound, "--data", yolo.data, "--fail-on", "broken").returncode == 0
    assert run_compare(*flags, "--fail-on", "never").returncode == 2
    logged = b"".join(file.read_bytes() for file in (tmp_path / "log").rglob("*tfevents*"))
    assert b'"verdict":{"level":"broken"' in logged and b"**Broken: output" in logged


def test_the_board_the_report_and_check_give_the_same_verdict(yolo, tmp_path):
    logdir = tmp_path / "log"
    int8 = yolo.quantize("int8.onnx")
    told = run_compare(yolo.fp32, int8, "--data", yolo.data, "--logdir", logdir).stdout
    sentence = told.splitlines()[0]
    with RunningBoard("--logdir", logdir) as board:
        _, layers = board.json("/api/v1/compression/layers?a=fp32&b=int8&model=fp32")
        _, summary = board.json("/api/v1/compression/summary?a=fp32&b=int8")
    assert layers["outputs"] == {"level": "broken", "sentence": sentence}
    assert summary["states"] == ["fail"]
    assert summary["fails"][0][0] == sentence.removesuffix(".")
    program = os.environ["COMPRESSION_BOARD"]
    report = tmp_path / "report.html"
    subprocess.run([program, "report", "--logdir", logdir, "-o", report], check=True)
    assert sentence.removesuffix(".") in html.unescape(report.read_text())
    contract = tmp_path / "contract.yaml"
    contract.write_text("version: 1\ngates:\n  - {id: small, metric: model_size_mb, max: 100}\n")
    checked = subprocess.run(
        [program, "check", contract, "--logdir", logdir, "--json"], capture_output=True, text=True
    )
    (verdict,) = (v for v in json.loads(checked.stdout)["verdicts"] if v["variant"] == "int8")
    assert verdict["state"] == "fail" and sentence.removesuffix(".") in verdict["text"]


def test_random_data_is_called_weak_evidence_and_weights_alone_are_not_measured(yolo, compare):
    int8 = yolo.quantize("int8.onnx")
    random = compare(yolo.fp32, int8)["verdict"]
    assert random["is_generated"] and "random data" in random["sentence"]
    assert "--data" in random["sentence"]
    weights = compare(yolo.fp32, int8, "--samples", 0)["verdict"]
    assert weights["level"] == "not_measured" and weights["outputs"] == []
    assert weights["sentence"].startswith("Not measured at the end: only weights were compared")


# Real networks with a good quantization.


@pytest.fixture(scope="module")
def networks():
    subprocess.run([ROOT / "scripts" / "fetch-networks"], check=True)
    return ROOT / "build" / "networks"


def text_lines(count, seed):
    random = np.random.default_rng(seed)
    words = "compression board layers seven quick brown foxes hello network sample total".split()
    lines = []
    for i in range(count):
        image = Image.new("RGB", (192, 48), (255, 255, 255) if i % 2 else (230, 235, 220))
        font = ImageFont.load_default(int(random.uniform(24, 36)))
        ImageDraw.Draw(image).text((4, 5), " ".join(random.choice(words, 2)), (20, 0, 40), font)
        pixels = (np.asarray(image, np.float32).transpose(2, 0, 1) / 255 - 0.5) / 0.5
        lines.append(pixels if random.random() < 0.5 else pixels[:, ::-1, ::-1])
    return np.ascontiguousarray(lines, np.float32)


def fixed_shape(path, target, name, shape):
    import onnx.version_converter
    from onnxruntime.quantization.shape_inference import quant_pre_process

    model = onnx.load(str(path))
    for value in model.graph.input:
        if value.name != name:
            continue
        for size, wanted in zip(value.type.tensor_type.shape.dim, shape):
            size.dim_value = wanted
    model = onnx.version_converter.convert_version(model, 13)
    onnx.save(model, str(target))
    quant_pre_process(str(target), str(target), skip_symbolic_shape=True)
    return target


def test_a_sound_classifier_of_text_lines_has_no_red_layer(networks, compare, tmp_path):
    lines = text_lines(40, 1)
    fp32 = fixed_shape(networks / "text_lines.onnx", tmp_path / "fp32.onnx", "x", (1, 3, 48, 192))
    data = tmp_path / "lines.npz"
    np.savez(data, x=lines[:20])
    int8 = quantize(fp32, tmp_path / "int8.onnx", "x", lines[20:], per_channel=True)
    before, after = (outputs_of(path, "x", lines[:20]) for path in (fp32, int8))
    assert (before.argmax(-1) == after.argmax(-1)).all()
    report = compare(fp32, int8, "--data", data)
    assert report["verdict"]["level"] == "sound", report["verdict"]
    (head,) = report["verdict"]["outputs"][0]["heads"]
    assert (head["use"], head["agreement"], head["decisions"]) == ("arg_max", 1, 20)
    assert reds(report) == []


def test_a_sound_classifier_of_files_has_no_red_layer(networks, compare, tmp_path):
    from onnxruntime.quantization import quantize_dynamic

    files = [p for p in sorted((ROOT / "src").rglob("*.cc")) + sorted((ROOT / "docs").rglob("*.md"))
             if p.stat().st_size > 2048]
    chosen = files[:: max(1, len(files) // 20)][:20]
    read = [np.frombuffer(p.read_bytes(), np.uint8).astype(np.int32) for p in chosen]
    samples = np.stack([np.concatenate([content[:1024], content[-1024:]]) for content in read])
    data, int8 = tmp_path / "files.npz", tmp_path / "int8.onnx"
    np.savez(data, bytes=samples)
    fp32 = networks / "file_types.onnx"
    quantize_dynamic(str(fp32), str(int8))
    before, after = (outputs_of(path, "bytes", samples) for path in (fp32, int8))
    assert (before.argmax(-1) == after.argmax(-1)).mean() >= 0.95
    report = compare(fp32, int8, "--data", data)
    assert report["verdict"]["level"] == "sound", report["verdict"]
    assert reds(report) == []


def test_a_sound_classifier_of_digits_has_no_red_layer(digits, compare):
    before, after = (outputs_of(p, "image", digits.images[:100]) for p in (digits.fp32, digits.int8))
    assert (before.argmax(-1) == after.argmax(-1)).mean() >= 0.99
    report = compare(digits.fp32, digits.int8, "--data", digits.data)
    assert report["verdict"]["level"] == "sound", report["verdict"]
    (output,) = report["verdict"]["outputs"]
    assert (output["axis"], output["channels"]) == (1, 10)
    assert reds(report) == []
