"""Measures the variants of a model: latency, throughput, memory, energy and accuracy.

result = benchmark({"fp32": "fp32.onnx", "int8": "int8.onnx"}, eval_fn=my_accuracy)
result["int8"]["latency_p50_ms"], result["int8"]["verdict"]
"""

from __future__ import annotations

import json
import math
import numbers
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _program
from .types import PathLike

Scores = Union[float, Mapping[str, float]]


class ModelBenchmark(dict[str, dict[str, Any]]):
    """The result of `benchmark`: the metrics of each variant by its name.

    `details` is the model's complete entry of the JSON; docs/benchmark.md explains the keys.
    """

    def __init__(self, name: str, details: dict[str, Any]) -> None:
        super().__init__(
            (key, value)
            for key, value in details.items()
            if isinstance(value, dict) and key not in ("model_info", "environment")
        )
        self.name = name
        self.details = details

    @property
    def baseline(self) -> str:
        """Returns the name of the baseline variant."""
        return str(self.details["baseline_variant"])

    @property
    def environment(self) -> dict[str, Any]:
        """Returns the machine, the version of ONNX Runtime, the threads and the batch size of the
        measurement.
        """
        return dict(self.details["environment"])

    def verdict(self, variant: str) -> str:
        """Returns "faster", "slower" or "cannot tell"."""
        return str(self[variant].get("verdict", "cannot tell"))


def _program_path() -> str:
    found = _program.path() if os.path.exists(_program.path()) else shutil.which("compression-board")
    if not found:
        raise FileNotFoundError(
            "cannot find compression-board in this package or on PATH; install the wheel"
        )
    return found


def _scores_of(evaluate: Callable[[str], Scores], path: str) -> dict[str, Any]:
    """Returns the scores of a model. An exception gives a failed evaluation, never a score."""
    try:
        scores = evaluate(path)
    except Exception as error:  # A user's function may raise any exception.
        return {"error": f"{type(error).__name__}: {error}"}
    named = scores if isinstance(scores, Mapping) else {"accuracy": scores}
    found: dict[str, Any] = {}
    for score, value in named.items():
        if not isinstance(value, numbers.Real) and not hasattr(value, "__float__"):
            what = f"{type(value).__name__} as {score!r}" if named is scores else type(value).__name__
            return {"error": f"eval_fn returned {what}; return a number or a dict of numbers"}
        found[str(score)] = float(value)
        if not math.isfinite(found[str(score)]):
            return {"error": f"eval_fn returned {found[str(score)]} as {score!r}, which is no score"}
    return found


def _variants_of(models: Union[Mapping[str, PathLike], Sequence[PathLike]]) -> Any:
    if isinstance(models, Mapping):
        return {str(name): os.path.abspath(os.fspath(path)) for name, path in models.items()}
    if isinstance(models, (str, bytes, os.PathLike)):
        raise TypeError("models is a path; give a list of paths, or a dict of names and paths")
    return [os.path.abspath(os.fspath(path)) for path in models]


def benchmark(
    models: Union[Mapping[str, PathLike], Sequence[PathLike]],
    *,
    name: Optional[str] = None,
    baseline: Optional[str] = None,
    data: Optional[PathLike] = None,
    labels: Optional[str] = None,
    metrics: Sequence[str] = (),
    vocabulary: Optional[PathLike] = None,
    eval_fn: Optional[Callable[[str], Scores]] = None,
    shapes: Optional[Mapping[str, Sequence[int]]] = None,
    threads: int = 1,
    batch: int = 1,
    seconds: float = 60,
    provider: str = "cpu",
    throughput: bool = False,
    output: Optional[PathLike] = None,
    logdir: Optional[PathLike] = None,
) -> ModelBenchmark:
    """Measures and compares model files, in a separate process.

    `models` are paths, or names and paths: {"fp32": "fp32.onnx", "int8": "int8.onnx"}. `data` are
    samples (.npz, .npy or a folder of PNG files), random samples if omitted; `labels` ("val.npz:y")
    and `metrics` (["top1"]) measure accuracy; "wer" and "cer" need `vocabulary`, a file with a token
    per line. `eval_fn` receives the path of a model and returns its accuracy, or a dict of scores; an
    exception is recorded as a failed evaluation, and the other variants are still measured. `seconds`
    limits the latency measurement. With `output`, the JSON is also written to that file; with
    `logdir`, event files are written to that directory, for the board and TensorBoard.

    Raises ValueError if no variant can be measured, or an argument is wrong; FileNotFoundError if
    the program is missing. A single variant that fails is listed in `details["failed_variants"]`.
    """
    variants = _variants_of(models)
    model: dict[str, Any] = {
        "variants": variants, "threads": threads, "batch": batch, "time": seconds,
        "provider": provider, "throughput": throughput,
    }  # fmt: skip
    if name is not None:
        model["name"] = name
    if baseline is not None:
        model["baseline"] = baseline
    if data is not None:
        model["data"] = os.path.abspath(os.fspath(data))
    if labels is not None:
        model["labels"] = os.path.abspath(labels)
    if metrics:
        model["metric"] = list(metrics)
    if vocabulary is not None:
        model["vocabulary"] = os.path.abspath(os.fspath(vocabulary))
    if shapes:
        model["shape"] = {key: [int(size) for size in shape] for key, shape in shapes.items()}
    with tempfile.TemporaryDirectory() as folder:
        suite = os.path.join(folder, "models.yaml")
        with open(suite, "w", encoding="utf-8") as file:
            json.dump({"models": [model]}, file)  # JSON is YAML.
        written = os.path.join(folder, "result.json") if output is None else os.fspath(output)
        command = [_program_path(), "benchmark", suite, "--json", "-o", written]
        command += ["--no-log"] if logdir is None else ["--logdir", os.fspath(logdir)]
        if eval_fn is not None:
            scores = os.path.join(folder, "scores.json")
            paths = variants.values() if isinstance(variants, dict) else variants
            with open(scores, "w", encoding="utf-8") as file:
                json.dump({path: _scores_of(eval_fn, path) for path in paths}, file)
            command += ["--scores", scores]
        ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if not ended.stdout:
        raise ValueError(ended.stderr.decode(errors="replace").strip())
    found = json.loads(ended.stdout)
    (found_name, details), *_ = found.items()
    return ModelBenchmark(found_name, details)
