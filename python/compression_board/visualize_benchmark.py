"""Converts benchmark JSON to runs: visualize_benchmark results.json [--logdir DIR] [--step N]."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Optional, Sequence


def main(argv: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(
        prog="visualize_benchmark", description="Turns benchmark JSON into TensorBoard runs."
    )
    parser.add_argument("json_path", help="benchmark results: {model: {fp32: …, int8: …}}")
    parser.add_argument("--logdir", help="default: runs/compression_benchmark/<name of the file>")
    parser.add_argument("--step", type=int, default=0)
    arguments = parser.parse_args(argv)
    if not os.path.isfile(arguments.json_path):
        print(f"visualize_benchmark: there is no file '{arguments.json_path}'", file=sys.stderr)
        return 1
    if not arguments.json_path.endswith(".json"):
        print(f"warning: '{arguments.json_path}' is not called .json", file=sys.stderr)

    from compression_board.compression import BenchmarkParser

    benchmark = BenchmarkParser()
    try:
        benchmark.log_benchmark_results(arguments.json_path, arguments.logdir, arguments.step)
    except (OSError, ValueError, RuntimeError) as error:
        print(f"visualize_benchmark: {error}", file=sys.stderr)
        return 1
    report = benchmark.report or {}
    for what, reason in report["skipped"]:
        print(f"skipped {what}: {reason}", file=sys.stderr)
    for warning in report["warnings"]:
        print(f"warning: {warning}", file=sys.stderr)
    directory = report["directory"]
    print(f"{len(report['models'])} models logged to {directory}")
    print(
        f"View them with:\n  compression-board --logdir {directory}\n  tensorboard --logdir {directory}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
