"""Logs the effects of compression on a model."""

from compression_board.compression import (
    BenchmarkParser,
    CompressionWriter,
    TrainingLogger,
    create_training_logger,
    log_benchmark_results,
)

__all__ = [
    "BenchmarkParser",
    "CompressionWriter",
    "TrainingLogger",
    "create_training_logger",
    "log_benchmark_results",
]
