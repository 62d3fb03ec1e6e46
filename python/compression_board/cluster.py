"""Runs comparisons, benchmarks and tunings on many machines with Ray (`pip install
compression-board[ray]`).

    from compression_board.cluster import RayExecutor, compare_all

    pairs = [("resnet18.onnx", "resnet18_int8.onnx"), ("yolo.onnx", "yolo_int8.onnx")]
    with RayExecutor("auto") as cluster:
        results = compare_all(pairs, executor=cluster, logdir="s3://team-logs/compare")

Each result is a result of `compare`, `benchmark` or `tune`, or a `Failed` with the reason.
docs/scale.md explains resources, retries and files.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Optional, Protocol, Union

from . import model_benchmark, model_comparison, model_tuning
from .model_benchmark import ModelBenchmark
from .model_comparison import ModelComparison
from .types import PathLike

Progress = Callable[[int, int], Any]


class Failed(Exception):
    """Takes the place of the result if a trial failed. The text is the reason."""


class Cancelled(Exception):
    """Raised if the trials were cancelled. `results` has the results of the finished trials, and
    None for all other trials.
    """

    def __init__(self, results: list[Any]) -> None:
        super().__init__("the trials were cancelled")
        self.results = results


class Executor(Protocol):
    """Runs `function(**item)` for every item and returns the results in the order of the items.

    If the function raises an exception, the result is a `Failed`. `on_progress(done, total)` is
    called after each trial. After `cancel()`, which any thread may call, `run` raises `Cancelled`.
    """

    def run(
        self,
        function: Callable[..., Any],
        items: Sequence[Mapping[str, Any]],
        on_progress: Optional[Progress] = None,
    ) -> list[Any]: ...

    def cancel(self) -> None: ...


def _reason(error: BaseException) -> Failed:
    return Failed(f"{type(error).__name__}: {error}")


class LocalExecutor:
    """Runs the trials in this process, one after the other."""

    def __init__(self) -> None:
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        self._cancelled.set()

    def run(
        self,
        function: Callable[..., Any],
        items: Sequence[Mapping[str, Any]],
        on_progress: Optional[Progress] = None,
    ) -> list[Any]:
        self._cancelled.clear()
        results: list[Any] = [None] * len(items)
        for index, item in enumerate(items):
            try:
                results[index] = function(**{key: _plain(value) for key, value in item.items()})
            except Exception as error:  # A failing trial must not end the others.
                results[index] = _reason(error)
            if on_progress is not None:
                on_progress(index + 1, len(items))
            if self._cancelled.is_set():
                raise Cancelled(results)
        return results


class _File:
    """A file that a trial reads: its path and, for nodes that do not have it, its content."""

    def __init__(self, path: PathLike) -> None:
        self.path = os.path.abspath(os.fspath(path))
        self.parts: list[tuple[str, str, Any]] = []  # Path, SHA-256 and content of each file.

    def local_path(self) -> str:
        """Returns a path on this machine: the path of the original if this machine has an identical
        file, otherwise the path of a copy.
        """
        if not self.parts or all(_has(path, digest) for path, digest, _ in self.parts):
            return self.path
        digests = "".join(digest for _, digest, _ in self.parts)
        folder = os.path.join(
            tempfile.gettempdir(),
            f"compression-board-files-{os.getuid()}",
            hashlib.sha256(digests.encode()).hexdigest()[:32],
        )
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for path, digest, content in self.parts:
            copy = os.path.join(folder, os.path.basename(path))
            if _has(copy, digest):
                continue
            import ray

            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                file.write(ray.get(content))
            # Replaces the file in one step, because trials of the same node may write it at the
            # same time.
            os.replace(file.name, copy)
        return os.path.join(folder, os.path.basename(self.path))


def _digest(path: str) -> str:
    sha256 = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            sha256.update(block)
    return sha256.hexdigest()


def _has(path: str, digest: str) -> bool:
    try:
        return _digest(path) == digest
    except OSError:
        return False


def _plain(value: Any) -> Any:
    """Returns `value` with each file replaced by its path."""
    if isinstance(value, _File):
        return value.path
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    return value


def _files_in(value: Any) -> Iterable[_File]:
    if isinstance(value, _File):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _files_in(part)
    elif isinstance(value, list):
        for part in value:
            yield from _files_in(part)


def _on_node(function: Callable[..., Any], item: dict[str, Any]) -> Any:
    """Runs a trial on the machine that it was sent to."""
    moved = {}
    for file in _files_in(item):
        local = file.local_path()
        if local != file.path:
            moved[local] = file.path
            file.path = local
    result = function(**{key: _plain(value) for key, value in item.items()})
    if moved and isinstance(result, dict):  # Results contain the caller's names of the files.
        text = json.dumps(result)
        for local, path in moved.items():
            text = text.replace(json.dumps(local)[1:-1], json.dumps(path)[1:-1])
        result = json.loads(text)
    return result


class RayExecutor:
    """Runs the trials as tasks of a Ray cluster.

    `address` is the address of a cluster ("auto": the cluster of this machine); None starts Ray
    here. Each trial uses `cpus_per_trial` and `gpus_per_trial` of a node. If a node dies, its trial
    runs again on another node, up to `max_retries` times. Files that a node does not have are sent
    to it. The package must be installed on the nodes. Can be used as a context manager. At its end,
    it stops Ray if it has started Ray.
    """

    def __init__(
        self,
        address: Optional[str] = None,
        *,
        cpus_per_trial: float = 1,
        gpus_per_trial: float = 0,
        resources: Optional[Mapping[str, float]] = None,
        max_retries: int = 3,
    ) -> None:
        try:
            import ray
        except ImportError:
            raise ImportError("Ray is not installed; install it with 'pip install compression-board[ray]'") from None
        self._ray = ray
        self._owns_ray = not ray.is_initialized()
        if self._owns_ray:
            ray.init(
                address=address,
                log_to_driver=False,
                include_dashboard=False if address is None else None,
            )
        self._task = ray.remote(_on_node).options(
            num_cpus=cpus_per_trial,
            num_gpus=gpus_per_trial,
            resources=dict(resources or {}),
            max_retries=max_retries,
        )
        self._sent: dict[str, Any] = {}  # Contents in Ray's object store, by SHA-256.
        self._cancelled = threading.Event()

    def __enter__(self) -> "RayExecutor":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        if self._owns_ray and self._ray.is_initialized():
            self._ray.shutdown()

    def cancel(self) -> None:
        self._cancelled.set()

    def _send(self, file: _File) -> None:
        for path in (file.path, file.path + ".data"):  # ONNX keeps large weights in a second file.
            if os.path.isfile(path):
                digest = _digest(path)
                if digest not in self._sent:
                    with open(path, "rb") as content:
                        self._sent[digest] = self._ray.put(content.read())
                file.parts.append((path, digest, self._sent[digest]))

    def run(
        self,
        function: Callable[..., Any],
        items: Sequence[Mapping[str, Any]],
        on_progress: Optional[Progress] = None,
    ) -> list[Any]:
        ray = self._ray
        self._cancelled.clear()
        pending = {}
        for index, item in enumerate(items):
            for file in _files_in(dict(item)):
                if not file.parts:
                    self._send(file)
            pending[self._task.remote(function, dict(item))] = index
        results: list[Any] = [None] * len(items)
        try:
            while pending:
                ended, _ = ray.wait(list(pending), num_returns=1, timeout=0.2)
                for reference in ended:
                    index = pending.pop(reference)
                    try:
                        results[index] = ray.get(reference)
                    except ray.exceptions.RayTaskError as error:
                        results[index] = _reason(error.cause)
                    except ray.exceptions.RayError as error:  # Its nodes died repeatedly.
                        results[index] = _reason(error)
                    if on_progress is not None:
                        on_progress(len(items) - len(pending), len(items))
                if self._cancelled.is_set():
                    raise Cancelled(results)
        finally:  # After cancel(), Ctrl-C or an exception of on_progress.
            for reference in pending:
                ray.cancel(reference, force=True)
        return results


def _names_of(paths: Sequence[str]) -> list[str]:
    """Returns the names of the files without their extension, made unique."""
    names: list[str] = []
    for path in paths:
        stem = os.path.splitext(os.path.basename(path))[0]
        name, number = stem, 2
        while name in names:
            name, number = f"{stem}_{number}", number + 1
        names.append(name)
    return names


def _below(logdir: Optional[PathLike], name: str) -> Optional[str]:
    return None if logdir is None else os.fspath(logdir).rstrip("/") + "/" + name


def _compare(**options: Any) -> dict[str, Any]:
    return model_comparison.compare(**options).details


def compare_all(
    pairs: Sequence[tuple[PathLike, PathLike]],
    *,
    executor: Optional[Executor] = None,
    data: Optional[PathLike] = None,
    logdir: Optional[PathLike] = None,
    on_progress: Optional[Progress] = None,
    **options: Any,
) -> list[Union[ModelComparison, Failed]]:
    """Runs `compare(baseline, variant, …)` for all pairs. With `logdir`, each pair has a directory
    there with the name of the variant's file; all nodes need access to it (a bucket, or a network
    file system)."""
    names = _names_of([os.fspath(variant) for _, variant in pairs])
    shared = None if data is None else _File(data)
    items = [
        {
            "baseline": _File(baseline),
            "variant": _File(variant),
            "data": shared,
            "logdir": _below(logdir, name),
            **options,
        }
        for (baseline, variant), name in zip(pairs, names)
    ]
    found = (executor or LocalExecutor()).run(_compare, items, on_progress)
    return [one if isinstance(one, Failed) else ModelComparison(one) for one in found]


def _benchmark(**options: Any) -> dict[str, Any]:
    measured = model_benchmark.benchmark(**options)
    return {"name": measured.name, "details": measured.details}


def benchmark_all(
    models: Sequence[Mapping[str, Any]],
    *,
    executor: Optional[Executor] = None,
    on_progress: Optional[Progress] = None,
) -> list[Union[ModelBenchmark, Failed]]:
    """Runs `benchmark(**arguments)` for all entries: [{"models": {"fp32": …, "int8": …}, "data":
    …}, …].

    Trials that share a node disturb each other's measurements: give each trial a whole node with
    `RayExecutor(cpus_per_trial=…)`.
    """
    items = []
    for entry in models:
        item = dict(entry)
        files = item["models"]
        item["models"] = (
            {name: _File(path) for name, path in files.items()}
            if isinstance(files, Mapping)
            else [_File(path) for path in files]
        )
        if item.get("data") is not None:
            item["data"] = _File(item["data"])
        items.append(item)
    found = (executor or LocalExecutor()).run(_benchmark, items, on_progress)
    return [
        one if isinstance(one, Failed) else ModelBenchmark(one["name"], one["details"])
        for one in found
    ]


def _evaluate(eval_fn: Callable[[str], Any], model: str) -> Any:
    return eval_fn(model)


def tune(
    model: PathLike,
    data: Optional[PathLike] = None,
    eval_fn: Optional[Callable[[str], Any]] = None,
    *,
    executor: Executor,
    **options: Any,
) -> dict[str, Any]:
    """Runs `compression_board.tune`, with every evaluation by `eval_fn` as a trial of the executor.

    The search itself runs on this machine and evaluates one model at a time. Use this function if
    an evaluation needs another kind of machine, for example one with a GPU; for many models, use
    `tune_all`.
    """

    def remotely(path: str) -> Any:
        (score,) = executor.run(_evaluate, [{"eval_fn": eval_fn, "model": _File(path)}])
        if isinstance(score, Failed):
            raise score
        return score

    return model_tuning.tune(model, data, None if eval_fn is None else remotely, **options)


def _tune(name: str, **options: Any) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="compression-board-") as folder:
        output = os.path.join(folder, name)
        report = model_tuning.tune(output=output, **options)
        files = {}
        for path in (output, output + ".data"):
            if os.path.exists(path):
                with open(path, "rb") as file:
                    files[os.path.basename(path)] = base64.b64encode(file.read()).decode()
        return {"report": report, "files": files, "folder": folder}


def tune_all(
    jobs: Sequence[Mapping[str, Any]],
    *,
    executor: Optional[Executor] = None,
    on_progress: Optional[Progress] = None,
) -> list[Union[dict[str, Any], Failed]]:
    """Runs `tune(**arguments)` for all jobs: [{"model": …, "data": …, "output": …}, …]. Each search
    is one trial, and its best model is written to `output` on this machine. Nodes do not keep the
    state of a search.
    """
    items = []
    for job in jobs:
        item = {key: value for key, value in job.items() if key not in ("output", "state")}
        item["name"] = os.path.basename(os.fspath(job["output"]))
        for key in ("model", "data", "eval_data"):
            if item.get(key) is not None:
                item[key] = _File(item[key])
        items.append(item)
    found = (executor or LocalExecutor()).run(_tune, items, on_progress)
    reports: list[Union[dict[str, Any], Failed]] = []
    for job, one in zip(jobs, found):
        if isinstance(one, Failed):
            reports.append(one)
            continue
        folder = os.path.dirname(os.path.abspath(os.fspath(job["output"])))
        os.makedirs(folder, exist_ok=True)
        for name, content in one["files"].items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(base64.b64decode(content))
        text = json.dumps(one["report"]).replace(one["folder"], folder)
        reports.append(json.loads(text))
    return reports
