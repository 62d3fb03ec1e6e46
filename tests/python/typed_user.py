"""A user's program that uses the whole public API; test_typing.py checks it with mypy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from compression_board import (
    Aurora,
    BenchmarkParser,
    CompressionWriter,
    FileWriter,
    GlobalSummaryWriter,
    HardwareMonitor,
    ModelComparison,
    StageLogger,
    SummaryWriter,
    TrainingLogger,
    TuningLogger,
    aurora,
    compare,
    create_training_logger,
    log_benchmark_results,
    set_log_folder,
)
from compression_board.stages import ModelSimilarity, OutputStatistics, StageNode
from tensorboardX import SummaryWriter as DropIn
from tensorboardX.compression import CompressionWriter as DropInCompressionWriter
from tensorboardX.compression.benchmark import log_benchmark_results as drop_in_results
from tensorboardX.compression.training import TrainingLogger as DropInTrainingLogger

values = np.arange(12.0)


def tuning(logdir: Path) -> None:
    with TuningLogger(logdir, naming="pytorch", earlier="continue", settings={"bits": 8}) as logger:
        number: int = logger.trial_number
        logger.start_trial({"scheme": "symmetric"}, fused={"conv1": ["conv1", "bn1"]})
        logger.add_output("conv1", values)
        logger.add_parameter("conv1", "weight", values, precision="int8")
        logger.add_node_output("v0/cg/conv0/Relu", values)
        directory: str = logger.finish_trial([0.776, number]).directory
        TuningLogger.from_config(Path(directory) / "tuning.yaml").close()


def summaries(logdir: Path) -> None:
    with SummaryWriter(logdir, comment="x", purge_step=3, flush_secs=1.5) as writer:
        writer.add_scalar("s", 1.0, 1, walltime=2.0, display_name="S")
        writer.add_scalar_batch("s", values, np.arange(12), walltimes=None)
        writer.add_scalars("g", {"a": 1.0, "b": 2}, global_step=1)
        writer.add_labelled_scalar("s", 1.0, plugin_name="p", plugin_content=b"x")
        writer.add_hparams({"lr": 0.1, "fused": True, "op": "adam"}, {"accuracy": 0.5}, name="t")
        writer.add_histogram("h", values, 1, bins=[0.0, 5.0, 12.0], max_bins=512)
        writer.add_histogram_raw("r", 0, 1, 2, 1, 1, [0.5, 1.0], [1.0, 1.0])
        writer.add_image("i", values.reshape(1, 3, 4), dataformats="CHW")
        writer.add_images("n", [values.reshape(1, 3, 4)], dataformats="CHW")
        writer.add_image_with_boxes("b", values.reshape(1, 3, 4), [[0, 0, 1, 1]], labels=["x"])
        writer.add_video("v", np.zeros((1, 2, 3, 4, 4)), fps=2.5)
        writer.add_audio("a", values / 12, sample_rate=8000)
        writer.add_text("t", "**bold**", 1)
        writer.add_pr_curve("p", values > 5, values / 12, num_thresholds=10)
        writer.add_mesh("m", values.reshape(1, 4, 3), config_dict={"camera": 1})
        writer.add_embedding(values.reshape(4, 3), metadata=["a", "b", "c", "d"])
        writer.add_custom_scalars({"c": {"chart": ["Multiline", ["a", "b"]]}})
        writer.add_onnx_graph(logdir / "model.onnx")
        writer.add_graph(object(), None)
        with writer.use_metadata(global_step=3):
            writer.add_scalar("s", 1)
        writer.flush()
        edges: list[float] = writer.default_bins
        print(edges[0], writer.logdir)


def files(logdir: str) -> None:
    file = FileWriter(logdir, max_queue=5)
    file.add_serialized_summary(b"", 1)
    file.close()
    GlobalSummaryWriter.getSummaryWriter().add_scalar("s", 1.0)


class Candidates(CompressionWriter):
    def tag_for(self, kind: str, model_name: str, name: str, variant: str, baseline: str) -> str:
        return "candidates/" + super().tag_for(kind, model_name, name, variant, baseline)


def compression(logdir: str, fp32: dict[str, float], int8: dict[str, float]) -> str:
    with Candidates(logdir, tag_scheme="flat", aurora_options={"penalty_factor": 5.0}) as writer:
        left_out: list[tuple[str, str]] = writer.log_compression_comparison("m", fp32, int8)
        left_out += writer.log_compression_ratios("m", fp32, int8, step=1)
        left_out += writer.log_energy_comparison("m", fp32, int8)
        left_out += writer.log_aurora("m", fp32, int8)
        left_out += writer.log_variants("m", {"fp16": fp32, "int4": int8}, baseline="fp16")
        left_out += writer.log_latency_distribution("m", [1.0, 2.0], values)
        left_out += writer.log_model_metadata("m", {"library": "torchvision"})
        report: str = writer.log_report("m", fp32, int8)
        with HardwareMonitor(writer, interval_seconds=0.5) as monitor:
            pass
        print(monitor.summary, left_out)
    score: Aurora = aurora(fp32, int8, weights={"quality": 0.5})
    return f"{report} {score.score:.3f} {score.factors['quality']:.3f}"


def models(folder: Path) -> float:
    found: ModelComparison = compare(
        folder / "a.onnx", "b.onnx", data=None, shapes={"x": (1, 3)}, samples=5, logdir="l"
    )
    again = compare("a.onnx", "b.onnx", verify=5).verified
    print([(run["restored"], run["parts"], run["sqnr_db"]) for run in again])
    print(found.samples, found.lint, found.byte_shares, found.keep_float["onnxruntime"])
    return max(row["weight_sqnr_db"] or 0.0 for row in found)


def training(json: Path) -> None:
    with TrainingLogger("m", logdir="runs") as logger:
        logger.log_epoch(1, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, learning_rate=0.1)
        logger.log_early_stopping(1, patience=3, min_delta=0.01, stopped=False)
        best: float = logger.best_val_f1
        print(best)
    create_training_logger("m").close()
    log_benchmark_results(json, logdir="runs", step=1).close()
    results = BenchmarkParser().load_benchmark_json(json)
    print(sorted(results))


def stages(logdir: Path) -> None:
    folder: str | None = set_log_folder(logdir)
    print(folder, set_log_folder(None))
    outputs = OutputStatistics(channel_axis=1)
    outputs.add(values.reshape(3, 4))
    channels: list[tuple[float, float, float]] = outputs.channels()
    similarity = ModelSimilarity()
    similarity.add_sample([("fc", values, values)])
    with StageLogger(logdir, model="m") as logger:
        logger.log_graph("initial_graph", [StageNode("x", "Input"), StageNode("y", "F", inputs=["x"])])
        logger.log_statistics("thresholds_selection", "y", outputs)
        logger.log_similarity(similarity)
        logger.log_local_errors(similarity, stage="after_quantization")
        logger.log_bit_widths([("y", "F", 8, None)])
        print(logger.directory, channels, similarity.mean_cosines)


def drop_in() -> None:
    DropIn("runs").close()
    DropInCompressionWriter("runs").close()
    DropInTrainingLogger("m").close()
    drop_in_results("results.json").close()
