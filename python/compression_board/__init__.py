"""Compression Board: shows the cost of compression, the damaged layers, and the best variant.

    from compression_board import CompressionWriter

    with CompressionWriter("runs/my_experiment") as writer:
        writer.log_compression_comparison("alexnet", fp32_metrics, int8_metrics)
        writer.log_compression_ratios("alexnet", fp32_metrics, int8_metrics)

Then, in a shell: compression-board --logdir runs
"""

from .aurora import Aurora, aurora
from .compression import (
    BenchmarkParser,
    CompressionWriter,
    TrainingLogger,
    create_training_logger,
    log_benchmark_results,
)
from .global_writer import GlobalSummaryWriter
from .hardware import HardwareMonitor
from .model_benchmark import ModelBenchmark, benchmark
from .model_comparison import ModelComparison, compare
from .model_tuning import tune
from .quantization import quantize
from .stages import StageLogger, set_log_folder
from .tuning import TuningLogger
from .writer import FileWriter, SummaryWriter

__version__ = "0.1.0"


def load_ipython_extension(ipython) -> None:
    """Registers the magics for `%load_ext compression_board` in a notebook."""
    from . import notebook

    notebook.register(ipython)


__all__ = [
    "Aurora",
    "BenchmarkParser",
    "CompressionWriter",
    "FileWriter",
    "GlobalSummaryWriter",
    "HardwareMonitor",
    "ModelBenchmark",
    "ModelComparison",
    "StageLogger",
    "SummaryWriter",
    "TrainingLogger",
    "TuningLogger",
    "aurora",
    "benchmark",
    "compare",
    "create_training_logger",
    "log_benchmark_results",
    "quantize",
    "set_log_folder",
    "tune",
]
