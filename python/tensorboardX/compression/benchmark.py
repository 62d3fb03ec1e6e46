"""Converts benchmark JSON to runs."""

from compression_board.compression.benchmark import BenchmarkParser, log_benchmark_results

__all__ = ["BenchmarkParser", "log_benchmark_results"]
