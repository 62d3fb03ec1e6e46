"""Converts benchmark JSON into runs for the board and TensorBoard.

{"alexnet": {"fp32": {"accuracy": 0.9945, "latency_mean_ms": 261.02, …},
             "int8": {…}, "model_info": {"library": "torchvision", …}}}
"""

from __future__ import annotations

import json
import os
from typing import Any, Optional

from .. import _engine
from ..types import PathLike
from .writer import CompressionWriter


class BenchmarkParser:
    """Reads benchmark files; logs each model as a separate run, or all models into `writer`."""

    def __init__(self, writer: Optional[CompressionWriter] = None) -> None:
        self.writer = writer
        self.report: Optional[dict[str, Any]] = None  # Models and warnings of the last import.

    def load_benchmark_json(self, json_path: PathLike) -> dict[str, Any]:
        """Returns the parsed file. Raises FileNotFoundError or json.JSONDecodeError."""
        with open(json_path, encoding="utf-8") as file:
            results: dict[str, Any] = json.load(file)
        return results

    def log_benchmark_results(
        self, json_path: PathLike, logdir: Optional[PathLike] = None, step: int = 0
    ) -> CompressionWriter:
        """Logs all models of a file, to `<logdir>/<model>` and `<logdir>_hparams/<model>` each.

        The default `logdir` is runs/compression_benchmark/<name of the file>. Returns a writer for
        `logdir`, or the writer that was given to the parser.
        """
        if self.writer is not None:
            self._log_into(self.writer, self.load_benchmark_json(json_path), step)
            return self.writer
        base = os.fspath(logdir) if logdir else ""
        self.report = _engine.import_benchmark(os.fspath(json_path), base, int(step))
        return _ClosedUntilUsed(self.report["directory"])

    def _log_into(self, writer: CompressionWriter, results: dict[str, Any], step: int) -> None:
        for model_name, entry in results.items():
            if not isinstance(entry, dict) or not isinstance(entry.get("fp32"), dict):
                continue
            variants = {name: m for name, m in entry.items()
                        if isinstance(m, dict) and name != "model_info"}  # fmt: skip
            if len(variants) < 2:
                continue
            derived = _derived_in(entry)
            # Passes `derived` only if necessary, because most files have no derived metrics, and a
            # writer class of the user may not have this parameter.
            marked = {"derived": derived} if derived else {}
            writer.log_variants(model_name, variants, "fp32", step, **marked)
            if entry.get("model_info"):
                writer.log_model_metadata(model_name, entry["model_info"], step)


def _derived_in(entry: dict[str, Any]) -> dict[str, list[str]]:
    """Converts "derived": ["int8.latency_mean_ms"] to {"int8": ["latency_mean_ms"]}."""
    names = entry.get("derived")
    found: dict[str, list[str]] = {}
    for name in names if isinstance(names, list) else []:
        if isinstance(name, str):
            variant, _, metric = name.rpartition(".")
            found.setdefault(variant, []).append(metric)
    return found


class _ClosedUntilUsed(CompressionWriter):
    """A writer that creates its file at the first event, so that an import leaves no empty run."""

    def __init__(self, logdir: str) -> None:
        self._waiting = True
        super().__init__(logdir)
        self._waiting = False

    def _get_file_writer(self) -> Any:
        return None if self._waiting else super()._get_file_writer()


def log_benchmark_results(
    json_path: PathLike, logdir: Optional[PathLike] = None, step: int = 0
) -> CompressionWriter:
    """BenchmarkParser().log_benchmark_results(…)."""
    return BenchmarkParser().log_benchmark_results(json_path, logdir, step)
