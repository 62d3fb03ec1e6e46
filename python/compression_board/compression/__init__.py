"""Logs the effects of compression on a model."""

from .benchmark import BenchmarkParser, log_benchmark_results
from .training import TrainingLogger, create_training_logger
from .writer import CompressionWriter

__all__ = [
    "BenchmarkParser",
    "CompressionWriter",
    "TrainingLogger",
    "create_training_logger",
    "log_benchmark_results",
]
