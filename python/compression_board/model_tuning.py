"""Quantizes a float model, an ONNX file or a PyTorch module, until an accuracy goal is met.

report = tune("model.onnx", "calib.npz", my_accuracy, output="model_int8.onnx", max_drop="1%")
report["is_met"], report["reason"]
"""

from __future__ import annotations

import json
import math
import numbers
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

from .model_benchmark import _program_path
from .types import PathLike

Score = Union[float, tuple[float, Sequence[float]]]

# The command that the program runs for an evaluation: it sends the path of the model to this
# process and prints the response. A response that begins with "!" is the text of an exception.
_ASK = (
    "printf '%s\\n' {model} > {request}; IFS= read -r answer < {answer}; "
    'case "$answer" in "!"*) echo "${answer#!}" >&2; exit 1;; esac; printf "%s\\n" "$answer"'
)


def _answer_of(eval_fn: Callable[[str], Score], path: str) -> str:
    """Returns the response to the program as one line. If `eval_fn` raises an exception, the trial
    fails.
    """
    try:
        score = eval_fn(path)
        value = score[0] if isinstance(score, tuple) else score
        if not isinstance(value, numbers.Real) and not hasattr(value, "__float__"):
            raise TypeError(f"eval_fn returned {type(value).__name__}; return a number")
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"eval_fn returned {number}; return a finite number")
    except Exception as error:  # A user's function may raise any exception.
        text = f"{type(error).__name__}: {error}"
        return "!" + " ".join(text.split())
    return repr(number)


class _Evaluations:
    """Handles the program's evaluation requests with a function of this process."""

    def __init__(self, folder: str, eval_fn: Callable[[str], Score]) -> None:
        self._request = os.path.join(folder, "request")
        self._answer = os.path.join(folder, "answer")
        self._eval_fn = eval_fn
        os.mkfifo(self._request)
        os.mkfifo(self._answer)
        # Opens the pipe for reading and writing, so that this process does not wait if a client
        # ends early.
        self._requests = os.open(self._request, os.O_RDWR)
        self._answers = os.open(self._answer, os.O_RDWR)

    def command(self) -> str:
        quoted = {name: "'" + path.replace("'", "'\\''") + "'"
                  for name, path in (("request", self._request), ("answer", self._answer))}  # fmt: skip
        return _ASK.replace("{request}", quoted["request"]).replace("{answer}", quoted["answer"])

    def serve(self, process: "subprocess.Popen[bytes]") -> None:
        """Handles requests until the program ends. Runs `eval_fn` in the calling thread."""
        ended = threading.Thread(target=self._wait, args=(process,), daemon=True)
        ended.start()
        with os.fdopen(self._requests, "rb") as requests:
            for line in requests:
                path = os.fsdecode(line.rstrip(b"\n"))
                if not path:
                    break
                os.write(self._answers, (_answer_of(self._eval_fn, path) + "\n").encode())
        ended.join()
        os.close(self._answers)

    def _wait(self, process: "subprocess.Popen[bytes]") -> None:
        process.wait()
        try:
            os.write(self._requests, b"\n")  # Ends the loop that handles requests.
        except OSError:
            pass  # An exception in `eval_fn` has already ended it.


def _module_of(node: str, modules: Mapping[str, Any]) -> Optional[str]:
    """Returns the module of a node that PyTorch has exported: features.1.conv for
    "/features/features.1/conv/Conv".
    """
    path: list[str] = []
    for part in node.strip("/").split("/")[:-1]:
        if path and part.startswith(path[-1] + "."):
            path[-1] = part
        else:
            path.append(part)
    name = ".".join(path)
    return name if name in modules else None


def _scopes(module: str) -> list[str]:
    """Returns the parts of a node name for the module features.1.conv: ["features", "features.1",
    "conv"].
    """
    scopes: list[str] = []
    last = ""
    for part in module.split("."):
        if part.isdigit() and last:
            last = f"{last}.{part}"
        else:
            last = part
        scopes.append(last)
    return scopes


def _export(module: Any, example: Any, path: str) -> list[str]:
    """Exports the module as ONNX; returns the names of its inputs."""
    import torch

    if example is None:
        raise ValueError("a PyTorch model is exported to ONNX first; pass `example`, an input or a tuple of inputs")
    inputs = example if isinstance(example, tuple) else (example,)
    names = [f"input_{i}" for i in range(len(inputs))] if len(inputs) > 1 else ["input"]
    options: dict[str, Any] = {"input_names": names, "opset_version": 17}
    if tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 5):
        options["dynamo"] = False  # Node names then contain the names of the modules.
    was_training = module.training
    module.eval()
    try:
        with torch.no_grad():
            torch.onnx.export(module, inputs, path, **options)
    finally:
        module.train(was_training)
    return names


def _arrays(data: Any, names: Sequence[str], path: str) -> str:
    """Writes samples as an .npz file. The samples are a tensor or array, a list with one tensor per
    input, or a mapping by input name.
    """
    import numpy as np

    if isinstance(data, Mapping):
        by_name = dict(data)
    else:
        parts = list(data) if isinstance(data, (tuple, list)) else [data]
        by_name = dict(zip(names, parts))
    arrays = {
        name: np.asarray(value.detach().cpu().tolist() if hasattr(value, "detach") else value)
        for name, value in by_name.items()
    }
    np.savez(path, **{
        name: array.astype("f4") if array.dtype == np.float64 else array for name, array in arrays.items()
    })  # fmt: skip
    return path


def tune(
    model: Any,
    data: Any = None,
    eval_fn: Optional[Callable[[str], Score]] = None,
    *,
    output: PathLike,
    example: Any = None,
    max_drop: str = "1%",
    labels: Optional[str] = None,
    metric: Optional[str] = None,
    eval_data: Optional[PathLike] = None,
    objective: str = "size",
    max_size: Optional[str] = None,
    min_speedup: Optional[float] = None,
    max_evals: int = 5,
    time: Optional[str] = None,
    keep_float: Sequence[str] = (),
    shapes: Optional[Mapping[str, Sequence[int]]] = None,
    target: str = "this-machine",
    config: Optional[PathLike] = None,
    logdir: Optional[PathLike] = None,
    state: Optional[PathLike] = None,
    resume: bool = False,
    stop_at_goal: bool = False,
) -> dict[str, Any]:
    """Writes the best quantized model to `output` and returns the report, which is the output of
    `compression-board tune --json`. docs/tune.md explains the search.

    `model` is the path of an ONNX file, or a `torch.nn.Module` with an `example` input: the module
    is exported to `output` + ".float.onnx". `keep_float` may then contain names of modules, and
    each entry of `report["reverted"]` has its `module`. `data` is the path of samples, or their
    values: an array or tensor, a list with one per input, or a mapping by input name ("input", or
    "input_0", "input_1", … for a module).

    `eval_fn` receives the path of a model and returns its accuracy, or a tuple of the accuracy and
    the values of single samples. An exception or NaN is a failed trial. Without `eval_fn`, `labels`
    ("val.npz:y") and `metric` ("top1") measure the accuracy; without these, the agreement with the
    float model is measured.

    `report["is_met"]` is False if the goals were missed; `output` is then the best model found, and
    `report["reason"]` and `report["next_step"]` explain what to do.

    Raises ValueError if an argument or the model is wrong; FileNotFoundError if the program is
    missing.
    """
    modules: Optional[dict[str, Any]] = None
    names: Sequence[str] = ("input",)
    if not isinstance(model, (str, os.PathLike)):
        modules = dict(model.named_modules())
        exported = os.fspath(output) + ".float.onnx"
        names = _export(model, example, exported)
        model = exported
        # Adds the node name "/features/features.0/Conv" for the module features.0.
        keep_float = [pattern for name in keep_float for pattern in (name, "*/" + "/".join(_scopes(name)) + "/*")]
    if data is not None and not isinstance(data, (str, os.PathLike)):
        data = _arrays(data, names, os.fspath(output) + ".samples.npz")
    command = [_program_path(), "tune", os.fspath(model), "-o", os.fspath(output), "--json"]
    values = {
        "--data": data, "--max-drop": max_drop, "--labels": labels, "--metric": metric,
        "--eval-data": eval_data, "--objective": objective, "--max-size": max_size,
        "--min-speedup": min_speedup, "--max-evals": max_evals, "--time": time,
        "--target": target, "--config": config, "--logdir": logdir, "--state": state,
    }  # fmt: skip
    for flag, value in values.items():
        if value is not None:
            command += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    for pattern in keep_float:
        command += ["--keep-float", pattern]
    for name, shape in (shapes or {}).items():
        command += ["--shape", f"{name}={','.join(str(int(size)) for size in shape)}"]
    if resume:
        command.append("--resume")
    if stop_at_goal:
        command.append("--stop-at-goal")
    with tempfile.TemporaryDirectory(prefix="compression-board-") as folder:
        evaluations = None
        if eval_fn is not None:
            evaluations = _Evaluations(folder, eval_fn)
            command += ["--eval", evaluations.command()]
        with open(os.path.join(folder, "out"), "w+b") as out, open(
            os.path.join(folder, "err"), "w+b"
        ) as err:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            try:
                if evaluations is not None:
                    evaluations.serve(process)
                process.wait()
            except BaseException:
                process.terminate()
                process.wait()
                raise
            out.seek(0)
            err.seek(0)
            printed, complaint = out.read(), err.read().decode(errors="replace").strip()
    if not printed:
        raise ValueError(complaint or f"compression-board tune: exit code {process.returncode}")
    report = dict(json.loads(printed))
    if modules is not None:
        for line in report["reverted"]:
            line["module"] = _module_of(line["name"], modules)
    return report
