"""Tests compression's own API: subclasses, variants, AURORA, hardware, the program in the wheel."""

import json
import math
import os
import re
import subprocess
import sys

import pytest
from compression_board import (
    BenchmarkParser,
    CompressionWriter,
    HardwareMonitor,
    TrainingLogger,
    aurora,
)

FP32 = {"accuracy": 0.8, "latency_mean_ms": 10.0, "model_size_mb": 40.0, "energy_consumption_mw": 90.0,
        "memory_usage_mb": 30.0, "throughput": 100.0, "device": "cpu"}  # fmt: skip
INT8 = {"accuracy": 0.8, "latency_mean_ms": 5.0, "model_size_mb": 10.0, "energy_consumption_mw": 45.0,
        "memory_usage_mb": 15.0, "throughput": 200.0, "device": "cpu"}  # fmt: skip


def test_both_tag_schemes_and_the_data_of_our_plugin(tmp_path, read):
    with CompressionWriter(str(tmp_path)) as writer:
        writer.log_compression_comparison("m", FP32, INT8)
        writer.log_energy_comparison("m", FP32, INT8)
        assert writer.log_compression_ratios("m", FP32, INT8) == []
        writer.log_aurora("m", FP32, INT8)
        writer.log_latency_distribution("m", [1.0, 2.0, math.nan], [0.5, 0.6])
    run = read(tmp_path)
    assert run.scalars("m/performance/latency_ms/int8") == [(0, 5.0)]
    assert run.scalars("m/compression/energy_ratio") == [(0, 2.0)]
    assert run.tags("histograms") == {"m/latency_distribution/fp32", "m/latency_distribution/int8"}
    assert read(tmp_path / "m/accuracy/fp32").scalars("m/accuracy") == [(0, pytest.approx(0.8))]
    content = json.loads(run.events.SummaryMetadata("m/compression/speedup").plugin_data.content)
    assert (content["model"], content["variant"]) == ("m", "int8")


def test_latencies_are_told_apart_although_one_is_a_hundred_times_as_long(tmp_path, read):
    samples = [10 + 0.001 * i for i in range(500)] + [1000.0]
    with CompressionWriter(str(tmp_path)) as writer:
        writer.log_latency_distribution("m", samples, [7.0])
    events = read(tmp_path).events
    (fp32,) = (event.histogram_value for event in events.Histograms("m/latency_distribution/fp32"))
    (int8,) = (event.histogram_value for event in events.Histograms("m/latency_distribution/int8"))
    assert sum(count > 0 for count in fp32.bucket) > 150
    assert (sum(fp32.bucket), fp32.max, sum(int8.bucket)) == (501, 1000.0, 1)


def test_a_subclass_redirects_tags(tmp_path, read):
    class Candidates(CompressionWriter):
        def tag_for(self, *parts):
            return "candidates/" + super().tag_for(*parts)

    with Candidates(str(tmp_path), tag_scheme="flat") as writer:
        writer.log_compression_ratios("m", FP32, INT8)
    assert all(tag.startswith("candidates/m/compression/") for tag in read(tmp_path).tags())


def test_a_subclass_with_its_own_add_scalar_sees_every_scalar(tmp_path):
    class Recorder(CompressionWriter):
        seen = []

        def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, **labels):
            self.seen.append(tag)

    with Recorder(str(tmp_path), tag_scheme="flat") as writer:
        writer.log_compression_ratios("m", FP32, INT8)
    assert "m/compression/speedup" in Recorder.seen


def test_any_variants_and_any_baseline(tmp_path, read):
    with CompressionWriter(str(tmp_path)) as writer:
        writer.log_variants("m", {"fp16": FP32, "w4a8": INT8, "int8": INT8}, baseline="fp16")
        with pytest.raises(ValueError, match="fp64"):
            writer.log_variants("m", {"fp16": FP32}, baseline="fp64")
        with pytest.raises(TypeError):
            writer.log_compression_comparison("m", FP32, [1, 2])
    assert any(tag.endswith("size_ratio/w4a8") for tag in read(tmp_path).tags())


def test_what_cannot_be_computed_is_said(tmp_path):
    with CompressionWriter(str(tmp_path)) as writer:
        omitted = writer.log_compression_ratios("m", FP32, {**INT8, "latency_mean_ms": 0})
    assert any(what == "speedup" and "0" in reason for what, reason in omitted)


def test_figures_that_a_method_names_are_left_out_with_a_reason(tmp_path):
    with CompressionWriter(str(tmp_path)) as writer:
        # A custom metric is logged with any name; the known metric that was meant is reported as
        # missing.
        misspelt = {"acuracy": 0.5, "latency_mean_ms": 1}
        assert writer.log_compression_comparison("m", misspelt, misspelt) == []
        assert writer.log_compression_ratios("m", misspelt, misspelt) == [
            ("size_ratio", "neither 'fp32' nor 'int8' has model_size_mb"),
            ("accuracy_drop", "neither 'fp32' nor 'int8' has accuracy"),
        ]
        missing = "neither 'fp32' nor 'int8' has energy_consumption_mw"
        assert writer.log_energy_comparison("m", misspelt, misspelt) == [
            ("energy_consumption_mw", missing)
        ]


def test_the_parser_logs_into_a_given_writer(tmp_path, read):
    source = tmp_path / "r.json"
    source.write_text(
        json.dumps({"m": {"fp32": FP32, "int8": INT8, "model_info": {"library": "x"}}, "n": 3})
    )
    with CompressionWriter(str(tmp_path / "run")) as writer:
        assert BenchmarkParser(writer).log_benchmark_results(source) is writer
    assert "m/metadata/info/text_summary" in read(tmp_path / "run").tags("tensors")
    with pytest.raises(FileNotFoundError):
        BenchmarkParser().log_benchmark_results(tmp_path / "none.json")
    source.write_text("{broken")
    with pytest.raises(ValueError, match="r.json"):
        BenchmarkParser().log_benchmark_results(source)


def test_the_parser_marks_what_is_derived_as_an_import_does(tmp_path, read):
    source = tmp_path / "r.json"
    derived = ["fp32.latency_mean_ms", "int8.latency_mean_ms", "int9.accuracy", 3]
    source.write_text(json.dumps({"m": {"fp32": FP32, "int8": INT8, "derived": derived}}))
    with CompressionWriter(str(tmp_path / "given")) as writer:
        BenchmarkParser(writer).log_benchmark_results(source)
    BenchmarkParser().log_benchmark_results(source, tmp_path / "imported").close()

    def marked(directory):
        run = read(directory)
        labels = {tag: run.events.SummaryMetadata(tag).plugin_data.content for tag in run.tags()}
        return {tag for tag, label in labels.items() if json.loads(label or "{}").get("derived")}

    assert marked(tmp_path / "given") == marked(tmp_path / "imported/m") == {
        "m/performance/latency_ms/fp32", "m/performance/latency_ms/int8", "m/compression/speedup",
    }  # fmt: skip
    # A score that also counts the latency that was derived from the throughput would differ.
    score = "m/compression/aurora"
    assert read(tmp_path / "given").scalars(score) == read(tmp_path / "imported/m").scalars(score)


def test_an_import_leaves_no_empty_run_behind(tmp_path):
    source = tmp_path / "r.json"
    source.write_text(json.dumps({"m": {"fp32": FP32, "int8": INT8}}))
    BenchmarkParser().log_benchmark_results(source, tmp_path / "base").close()
    assert [path.name for path in (tmp_path / "base").iterdir()] == ["m"]


def pixels(run, tag):
    """Returns a picture of the run, as Pillow decodes it."""
    import io

    import numpy as np
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(run.events.Images(tag)[0].encoded_image_string)))


def test_a_report_is_text_and_pictures_that_tensorboard_shows(tmp_path, read):
    with CompressionWriter(str(tmp_path)) as writer:
        markdown = writer.log_report("m", FP32, INT8, step=3)
    run = read(tmp_path)
    (text,) = run.events.Tensors("m/metadata/report/text_summary")
    assert (text.step, text.tensor_proto.string_val[0].decode()) == (3, markdown)
    assert "**int8**: 4x smaller, 2x faster, accuracy down by 0; AURORA 1.52" in markdown
    assert "| Latency (ms) | 10 | 5 |" in markdown and "| int8 | Speedup | 2 |" in markdown
    assert run.tags("images") == {"m/metadata/report_metrics", "m/metadata/report_aurora_int8"}


def test_the_bars_of_a_report_are_as_long_as_their_values(tmp_path, read):
    from compression_board.compression.pictures import BASELINE, SERIES

    with CompressionWriter(str(tmp_path)) as writer:
        writer.log_report("m", {"model_size_mb": 40.0}, {"model_size_mb": 10.0})
    picture = pixels(read(tmp_path), "m/metadata/report_metrics")
    lengths = [
        max((row == color).all(-1).sum() for row in picture) for color in (BASELINE, SERIES[0])
    ]
    assert lengths == [360, 90]


@pytest.mark.parametrize("variants", [
    {"fp32": {}, "int8": {}},
    {"fp32": {"accuracy": math.nan, "loss": 1.0}, "int8": {"accuracy": 0.5, "loss": math.inf}},
    {"fp32": {"delta": 0.0}, "int8": {"delta": -3.5}},
    {"fp32": FP32, "a|b ü" * 30: INT8},
    {"fp32": FP32},
    {"fp32": FP32, **{f"v{i}": INT8 for i in range(20)}},
], ids=["nothing", "not finite", "negative", "odd names", "baseline alone", "many"])  # fmt: skip
def test_a_report_of_anything_can_be_made(tmp_path, read, variants):
    with CompressionWriter(str(tmp_path)) as writer:
        markdown = writer.log_variants_report("m", variants)
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    columns = {len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows}
    assert columns <= {len(variants) + 1, 3}
    assert pixels(read(tmp_path), "m/metadata/report_metrics").ndim == 3
    if "loss" in variants["fp32"]:
        assert "left out for int8: loss is inf" in markdown


def test_training_summary_and_early_stopping(tmp_path, read):
    with TrainingLogger("m", logdir=str(tmp_path)) as logger:
        logger.log_epoch(1, 1, 0.5, 0.5, 1, 0.5, 0.6, learning_rate=0.1)
        logger.log_epoch(2, 1, 0.5, 0.5, 1, 0.5, 0.4)
        logger.log_early_stopping(2, patience=1, min_delta=0.01, stopped=True)
        logger.log_training_summary(2, 1, 0.5, 0.5, 1, 0.5, 0.4, early_stopped=True)
    run = read(tmp_path)
    assert run.scalars("m/training/best_epoch") == [(2, 1.0)]
    assert run.scalars("m/validation/final_val_f1") == [(3, pytest.approx(0.4))]
    assert read(tmp_path / "m/loss/val").scalars("m/loss") == [(1, 1.0), (2, 1.0)]


def test_aurora_is_the_engines():
    score = aurora(FP32, INT8)
    assert score.score == pytest.approx(2**0.6)
    assert set(score.factors) == {
        "quality", "throughput", "latency", "energy", "memory", "penalty",
    }  # fmt: skip
    worse = aurora(FP32, {**INT8, "accuracy": 0.9 * FP32["accuracy"]})
    assert worse.factors["penalty"] == worse.penalty_factor < 1
    assert math.prod(worse.factors.values()) == pytest.approx(worse.score)
    assert re.match(r"Aurora\(score=\d.*, coverage=1, factors={quality: 0.95.*, penalty: ", repr(worse))
    assert aurora(FP32, FP32).score == 1
    with pytest.raises(ValueError, match="accuracy"):
        aurora({}, INT8)
    with pytest.raises(ValueError, match="colour"):
        aurora(FP32, INT8, weights={"colour": 1})


def test_hardware_is_logged_beside_the_run(tmp_path, read):
    with CompressionWriter(str(tmp_path)) as writer, HardwareMonitor(writer, 0.05) as monitor:
        sum(range(3_000_000))
    assert monitor.summary["metrics"]["memory/process_rss_mb"]["max"] > 1
    assert read(tmp_path / "hardware").scalars("hardware/memory/process_rss_mb")


def test_the_program_is_on_the_path():
    done = subprocess.run(["compression-board", "--help"], capture_output=True, text=True)
    assert done.returncode == 0 and "--logdir" in done.stdout


def test_the_package_is_typed_and_light():
    import compression_board

    folder = os.path.dirname(compression_board.__file__)
    assert os.path.exists(os.path.join(folder, "py.typed"))
    code = "import sys, tensorboardX; sys.exit('torch' in sys.modules or 'google.protobuf' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
