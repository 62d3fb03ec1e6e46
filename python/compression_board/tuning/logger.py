"""TuningLogger: logs the trials of a tuning, from arrays, from a GraphDef, or from a PyTorch model.
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, Optional, Union, get_args

from .. import _engine
from .. import torch_tensors
from ..tensors import as_engine, to_float
from ..types import ArrayLike, Omissions, PathLike

log = logging.getLogger("compression_board.tuning")

#: Groups of operators that quantization fuses: {"conv1": ["conv1", "bn1", "relu1"]}, or only the
#: groups, which are then named after their first members.
Fused = Union[Mapping[str, Sequence[str]], Sequence[Sequence[str]]]


#: What pre_eval_hook stores for each output: "statistics", or copies of all "tensors".
Keep = Literal["statistics", "tensors"]


class TrialReport(NamedTuple):
    """The log of a trial: 0 is the baseline; `omitted` lists missing values with the reasons.

    `outputs` holds the outputs of each module, batch by batch, if `keep` was "tensors".
    """

    number: int
    directory: str
    tags: list[str]
    omitted: Omissions
    outputs: Mapping[str, list[Any]] = MappingProxyType({})


class Evaluation:
    """A running evaluation. Evaluate `model` and set `accuracy` before the block ends."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.accuracy: Any = None
        self.input: Any = None
        self.report: Optional[TrialReport] = None


def _settings(settings: Mapping[str, Any]) -> list[tuple[str, Union[bool, float, str]]]:
    def plain(value: Any) -> Union[bool, float, str]:
        return value if isinstance(value, (bool, int, float, str)) else str(value)

    return [(str(name), plain(value)) for name, value in settings.items() if value is not None]


def _groups(fused: Optional[Fused]) -> list[tuple[str, list[str]]]:
    if fused is None:
        return []
    if isinstance(fused, Mapping):
        return [(name, list(members)) for name, members in fused.items()]
    return [(members[0], list(members)) for members in fused if members]


def _accuracies(accuracy: Any) -> list[float]:
    if accuracy is None:
        return []
    if isinstance(accuracy, (list, tuple)):
        return [to_float(value) for value in accuracy]
    return [to_float(accuracy)]


class TuningLogger:
    """Logs a tuning into `directory`: baseline_acc_<accuracy>, then tune_<n>_acc_<accuracy>.

    Each trial is a directory with graph, weights and outputs. It is renamed when its accuracy is
    known; viewers that follow the log keep the data they have read. `naming="pytorch"` omits the
    second underscore. Trials of an earlier tuning are moved to `<directory>_earlier`, unless
    `earlier` is "continue" (new trials continue their numbers) or "refuse" (an error). `settings`
    apply to every trial. With `enabled=False`, nothing is logged and models are not changed.

    Usable as a context manager: an unfinished evaluation loses its observers, and its directory
    becomes <trial>_failed. Not thread-safe, but observed models may run in threads.
    """

    def __init__(self, directory: PathLike = os.path.join("runs", "eval"), *, enabled: bool = True,
                 naming: str = "tensorflow", earlier: str = "move_aside",
                 settings: Optional[Mapping[str, Any]] = None) -> None:  # fmt: skip
        self._engine = _engine.TuningLogger(os.fspath(directory), enabled, naming, earlier)
        self._settings = dict(settings or {})
        self._observers: Any = None
        self._kept: Optional[dict[str, list[Any]]] = None

    @classmethod
    def from_config(cls, path: PathLike, directory: PathLike = os.path.join("runs", "eval"),
                    **options: Any) -> "TuningLogger":  # fmt: skip
        """Returns a logger that is enabled if the YAML file says `tensorboard: true`, at the top
        or in `tuning`.

        All other entries under `quantization` and `tuning` are the settings of every trial.
        """
        tensorboard, settings = _engine.read_tuning_config(os.fspath(path))
        return cls(directory, enabled=tensorboard, settings=settings, **options)

    @property
    def enabled(self) -> bool:
        """Returns True if anything is logged."""
        return self._engine.enabled

    @property
    def trial_number(self) -> int:
        """Returns the number of the running trial, or of the next one; 0 is the baseline."""
        return self._engine.trial_number

    def start_trial(self, settings: Optional[Mapping[str, Any]] = None,
                    fused: Optional[Fused] = None) -> None:  # fmt: skip
        """Starts the next trial. `settings` make it a row of the HParams page.

        A group in `fused` logs only its last output, under the group's name. Raises OSError if the
        directory is not writable or another tuning uses it.
        """
        self._engine.start_trial(_settings({**self._settings, **(settings or {})}), _groups(fused))

    def add_graph(self, graph: Any) -> None:
        """Logs a GraphDef: serialized, or a message."""
        self._engine.add_graph(
            bytes(graph) if isinstance(graph, (bytes, bytearray)) else graph.SerializeToString()
        )

    def add_output(self, op: str, values: ArrayLike, precision: str = "") -> None:
        """Logs a batch of an operator's output: <op>/Output/fp32, or int8 for quantized tensors.

        All batches are counted in one histogram, which is written when the trial ends.
        """
        if self.enabled:
            self._engine.add_output(op, as_engine(values), precision)

    def add_parameter(self, op: str, parameter: str, values: ArrayLike,
                      precision: str = "") -> None:  # fmt: skip
        """Logs a weight, bias, scale or zero point: <op>/<parameter>/fp32, or int8."""
        if self.enabled:
            self._engine.add_parameter(op, parameter, as_engine(values), precision)

    def add_tensorflow_graph(self, graph_def_file: PathLike) -> None:
        """Logs graph, weights and biases of a frozen TensorFlow graph, without TensorFlow."""
        self._engine.add_tensorflow_graph(os.fspath(graph_def_file))

    def add_node_output(self, node: str, values: ArrayLike) -> None:
        """Logs the output of a node of a TensorFlow graph: <node>_fp32.output, or _int8 if it is
        quantized.

        The 8-bit codes of a Requantize node are converted to real values with the ranges in the
        graph. Only the first batch is logged.
        """
        if self.enabled:
            self._engine.add_node_output(node, as_engine(values))

    def finish_trial(self, accuracy: Any = None) -> TrialReport:
        """Finishes the trial and puts the accuracy, or a list of metrics, into the directory name.

        Without an accuracy, the directory keeps the name baseline or tune_<n>; no data is lost.
        """
        report = TrialReport(*self._engine.finish_trial(_accuracies(accuracy)))
        for what, reason in report.omitted:
            log.warning("%s: %s: %s", report.directory, what, reason)
        return report

    def abandon_trial(self, reason: str) -> str:
        """Ends a trial that failed and returns its directory, which becomes <trial>_failed."""
        directory = self._engine.abandon_trial(reason)
        if directory:
            log.warning("%s: %s", directory, reason)
        return directory

    def pre_eval_hook(self, model: Any, white_list: Any = None, *,
                      settings: Optional[Mapping[str, Any]] = None,
                      fused: Optional[Fused] = None, keep: Keep = "statistics") -> Any:  # fmt: skip
        """Starts a trial and observes the output of every leaf of a PyTorch model.

        Returns the model to evaluate: the same model with observers or, if it is scripted, another
        one with the same outputs. `white_list` contains the names or types of the modules to
        observe. Modules of torch.nn.intrinsic are always fused groups; `fused` names modules that
        will be fused later (see fused_modules).

        A model of torch.export or pt2e is replaced as a scripted model is. A model of torch.compile
        runs without compilation until post_eval_hook, because compiled code has no outputs of
        modules.

        Only statistics are stored, 12 KiB per module. If `keep` is "tensors", copies of all outputs
        of all batches are also stored in memory, for the report's `outputs`. The log is the same.

        Raises ValueError if no module can be observed.
        """
        if keep not in get_args(Keep):
            raise ValueError(f"keep is {keep!r}; it must be 'statistics' or 'tensors'")
        if not self.enabled:
            return model
        from .torch_observers import observe

        self.close()  # An evaluation that did not reach post_eval_hook.
        observers = observe(model, white_list, self._record)
        self.start_trial(settings, {**observers.fused, **dict(_groups(fused))})
        observers.install()
        self._observers = observers
        self._kept = {} if keep == "tensors" else None
        return observers.model

    def _record(self, op: str, values: Any, precision: str = "") -> None:
        if self._kept is not None:
            tensor = values.detach()
            # Stores a copy, because the next module may change the tensor in place.
            tensor = tensor.clone() if tensor.device.type == "cpu" else tensor.cpu()
            self._kept.setdefault(op, []).append(tensor)
        precision = precision or torch_tensors.precision_of(values)
        self._engine.add_output(op, as_engine(values), precision)

    def post_eval_hook(self, model: Any, accuracy: Any = None, input: Any = None) -> TrialReport:
        """Removes the observers, logs graph and state dict, and finishes the trial.

        The graph is traced with `input`, and omitted without it. Quantized weights, including
        packed parameters, are logged with their real values. Raises RuntimeError if pre_eval_hook
        was not called with this model.
        """
        if not self.enabled:
            return TrialReport(0, "", [], [])
        observers = self._observers
        if observers is None or not observers.observes(model):
            raise RuntimeError("pre_eval_hook was not called for this model; call it before post_eval_hook")
        from .torch_models import graph_of, parameters_of

        try:
            observers.remove()
            self._observers = None
            if input is not None:
                graph = graph_of(observers.original, input)
                if isinstance(graph, bytes):
                    self._engine.add_graph(graph)
                else:
                    log.warning("the graph is left out: %s", graph)
            for op, parameter, values in parameters_of(observers.original):
                precision = torch_tensors.precision_of(values)
                engine_values = values if isinstance(values, tuple) else as_engine(values)
                self._engine.add_parameter(op, parameter, engine_values, precision)
        except BaseException as error:
            self._abandon(f"{type(error).__name__}: {error}")
            raise
        kept, self._kept = self._kept, None
        return self.finish_trial(accuracy)._replace(outputs=MappingProxyType(kept or {}))

    @contextlib.contextmanager
    def evaluation(self, model: Any, white_list: Any = None, *,
                   settings: Optional[Mapping[str, Any]] = None, fused: Optional[Fused] = None,
                   keep: Keep = "statistics") -> Iterator[Evaluation]:  # fmt: skip
        """Runs pre_eval_hook and post_eval_hook around a block; also cleans up if the evaluation
        raises.

            with logger.evaluation(model) as trial:
                trial.accuracy = evaluate(trial.model)
                trial.input = images          # for the graph

        Afterwards `trial.report` lists the logged values.
        """
        observed = self.pre_eval_hook(model, white_list, settings=settings, fused=fused, keep=keep)
        trial = Evaluation(observed)
        try:
            yield trial
        except BaseException as error:
            self._abandon(f"{type(error).__name__}: {error}")
            raise
        trial.report = self.post_eval_hook(observed, trial.accuracy, trial.input)

    def _abandon(self, reason: str) -> None:
        if self._observers is not None:
            self._observers.remove()
            self._observers = None
        self._kept = None
        if self._engine.in_trial:
            self.abandon_trial(reason)

    def close(self) -> None:
        """Ends an unfinished evaluation; otherwise does nothing."""
        self._abandon("the evaluation was not finished")

    def __enter__(self) -> "TuningLogger":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._abandon(f"{kind.__name__}: {error}" if kind else "the evaluation was not finished")
