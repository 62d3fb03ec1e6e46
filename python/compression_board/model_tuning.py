"""Quantizes a float ONNX model until an accuracy goal is met.

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

# The command that the program runs for an evaluation: it sends the path of the model to this process
# and prints the answer. An answer that begins with "!" is the text of an exception.
_ASK = (
    "printf '%s\\n' {model} > {request}; IFS= read -r answer < {answer}; "
    'case "$answer" in "!"*) echo "${answer#!}" >&2; exit 1;; esac; printf "%s\\n" "$answer"'
)


def _answer_of(eval_fn: Callable[[str], Score], path: str) -> str:
    """One line for the program. An exception is a failed trial, never an accuracy."""
    try:
        score = eval_fn(path)
        value = score[0] if isinstance(score, tuple) else score
        if not isinstance(value, numbers.Real) and not hasattr(value, "__float__"):
            raise TypeError(f"eval_fn returned {type(value).__name__}; return a number")
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"eval_fn returned {number}; return a finite number")
    except Exception as error:  # A function of the user may raise anything.
        text = f"{type(error).__name__}: {error}"
        return "!" + " ".join(text.split())
    return repr(number)


class _Evaluations:
    """Answers the evaluations of the program with a function of this process."""

    def __init__(self, folder: str, eval_fn: Callable[[str], Score]) -> None:
        self._request = os.path.join(folder, "request")
        self._answer = os.path.join(folder, "answer")
        self._eval_fn = eval_fn
        os.mkfifo(self._request)
        os.mkfifo(self._answer)
        # Open for both directions: a client that ends early blocks nobody.
        self._requests = os.open(self._request, os.O_RDWR)
        self._answers = os.open(self._answer, os.O_RDWR)

    def command(self) -> str:
        quoted = {name: "'" + path.replace("'", "'\\''") + "'"
                  for name, path in (("request", self._request), ("answer", self._answer))}  # fmt: skip
        return _ASK.replace("{request}", quoted["request"]).replace("{answer}", quoted["answer"])

    def serve(self, process: "subprocess.Popen[bytes]") -> None:
        """Answers until the program ends. Runs `eval_fn` in the calling thread."""
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
            os.write(self._requests, b"\n")  # Ends the loop.
        except OSError:
            pass  # An exception in `eval_fn` has ended it.


def tune(
    model: PathLike,
    data: Optional[PathLike] = None,
    eval_fn: Optional[Callable[[str], Score]] = None,
    *,
    output: PathLike,
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
) -> dict[str, Any]:
    """Writes the best quantized model to `output` and returns the report: the output of
    `compression-board tune --json`. docs/tune.md explains the search.

    `eval_fn` takes the path of a model and returns its accuracy, or a tuple of the accuracy and the
    values of single samples. An exception or NaN is a failed trial. Without `eval_fn`, `labels`
    ("val.npz:y") and `metric` ("top1") measure the accuracy, or else agreement with the float model.

    `report["is_met"]` is False if the goals were missed; `output` is then the best model, and
    `report["reason"]` and `report["next_step"]` explain what to do.

    ValueError if an argument or the model is wrong; FileNotFoundError if the program is missing.
    """
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
        raise ValueError(complaint or f"compression-board tune ended with {process.returncode}")
    return dict(json.loads(printed))
