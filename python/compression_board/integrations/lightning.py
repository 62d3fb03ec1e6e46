"""A logger for Lightning.

    from compression_board.integrations.lightning import CompressionBoardLogger

    trainer = Trainer(logger=CompressionBoardLogger("runs", name="resnet18"))
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional, Union

try:
    from lightning.pytorch.loggers.logger import Logger, rank_zero_experiment
    from lightning.pytorch.utilities.rank_zero import rank_zero_only
except ImportError:  # Lightning's older package name.
    from pytorch_lightning.loggers.logger import Logger, rank_zero_experiment
    from pytorch_lightning.utilities.rank_zero import rank_zero_only

from ..writer import SummaryWriter
from . import _values


class CompressionBoardLogger(Logger):
    """Logs scalars, hyperparameters and the graph to `<save_dir>/<name>/version_<n>`.

    It has the directory layout of Lightning's TensorBoardLogger and does not need tensorboard. In a
    distributed training, only the process of rank 0 logs.
    """

    def __init__(self, save_dir: Union[str, os.PathLike] = "runs", name: str = "lightning_logs",
                 version: Union[int, str, None] = None, log_graph: bool = False,
                 **writer_options: Any) -> None:  # fmt: skip
        super().__init__()
        self._save_dir = os.fspath(save_dir)
        self._name = name
        self._version = version
        self._log_graph = log_graph
        self._options = writer_options
        self._writer: Optional[SummaryWriter] = None
        self._hparams: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return self._name

    @property
    def version(self) -> Union[int, str]:
        """Returns the given version, or the first unused number below the directory of `name`."""
        if self._version is None:
            try:
                present = os.listdir(os.path.join(self._save_dir, self._name))
            except FileNotFoundError:
                present = []
            numbers = [entry[8:] for entry in present if entry.startswith("version_")]
            self._version = 1 + max((int(n) for n in numbers if n.isdigit()), default=-1)
        return self._version

    @property
    def root_dir(self) -> str:
        return os.path.join(self._save_dir, self._name)

    @property
    def save_dir(self) -> str:
        return self._save_dir

    @property
    def log_dir(self) -> str:
        """Returns the directory of this run."""
        version = self.version if isinstance(self.version, str) else f"version_{self.version}"
        return os.path.join(self.root_dir, version)

    @property
    @rank_zero_experiment
    def experiment(self) -> SummaryWriter:
        """Returns the SummaryWriter, for other values: logger.experiment.add_histogram(...)."""
        if self._writer is None:
            self._writer = SummaryWriter(self.log_dir, **self._options)
        return self._writer

    @rank_zero_only
    def log_hyperparams(self, params: Any = None, metrics: Any = None, *_: Any, **more: Any) -> None:
        """Stores the settings; they become a row of the HParams page when the run ends."""
        self._hparams.update(_values.hparams({} if params is None else params))
        self._hparams.update(_values.hparams(more))
        for name, number in _values.scalars(metrics if isinstance(metrics, Mapping) else {}):
            self.experiment.add_scalar(name, number, 0)

    @rank_zero_only
    def log_metrics(self, metrics: Mapping[str, Any], step: Optional[int] = None) -> None:
        for name, number in _values.scalars(metrics):
            self.experiment.add_scalar(name, number, step)
            self._last = {**getattr(self, "_last", {}), name: number}

    @rank_zero_only
    def log_graph(self, model: Any, input_array: Any = None) -> None:
        """Logs the graph of `model` if `log_graph` is set and an example input is known."""
        if not self._log_graph:
            return
        inputs = input_array if input_array is not None else getattr(model, "example_input_array", None)
        if inputs is not None:
            self.experiment.add_graph(model, inputs)

    @rank_zero_only
    def save(self) -> None:
        if self._writer is not None:
            self._writer.flush()

    @rank_zero_only
    def finalize(self, status: str) -> None:
        """Writes the hyperparameters with the last metrics, and closes the files."""
        if self._hparams:
            last = getattr(self, "_last", {})
            self.experiment.add_hparams(self._hparams, last, name="hparams")
            self._hparams = {}
        if self._writer is not None:
            self._writer.close()
