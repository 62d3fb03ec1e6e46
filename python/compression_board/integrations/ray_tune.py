"""A callback for Ray Tune: every trial is a variant, and a row of the HParams page.

    from compression_board.integrations.ray_tune import CompressionBoardLoggerCallback

    tune.Tuner(train, run_config=RunConfig(callbacks=[CompressionBoardLoggerCallback("resnet18")]))
"""

from __future__ import annotations

import os
from typing import Any, Optional

from ray.tune.logger import LoggerCallback

from ..compression.writer import CompressionWriter
from . import _values

# Keys that Ray adds to the results of a training.
_OWN = frozenset(
    "timestamp checkpoint_dir_name done training_iteration trial_id date time_this_iter_s "
    "time_total_s pid hostname node_ip config time_since_restore iterations_since_restore".split()
)


class CompressionBoardLoggerCallback(LoggerCallback):
    """Logs the results of each trial to `<logdir>/<trial>`, or below the directory of the trial.

    The last results of a trial are logged as metrics of the variant `<trial>` of `model_name`, so
    that Overview and Compare show trials side by side.
    """

    def __init__(self, model_name: str, logdir: Optional[str] = None) -> None:
        self._model_name = model_name
        self._logdir = logdir
        self._writers: dict[Any, CompressionWriter] = {}
        self._last: dict[Any, dict[str, float]] = {}

    def log_trial_start(self, trial: Any) -> None:
        directory = os.path.join(self._logdir, str(trial)) if self._logdir else trial.local_path
        self._writers[trial] = CompressionWriter(directory)

    def log_trial_result(self, iteration: int, trial: Any, result: dict[str, Any]) -> None:
        if trial not in self._writers:
            self.log_trial_start(trial)
        numbers = dict(_values.scalars({k: v for k, v in result.items() if k not in _OWN}))
        self._last[trial] = numbers
        step = int(result.get("training_iteration", iteration))
        for name, number in numbers.items():
            self._writers[trial].add_scalar(name, number, step)
        self._writers[trial].flush()

    def log_trial_end(self, trial: Any, failed: bool = False) -> None:
        writer = self._writers.pop(trial, None)
        if writer is None:
            return
        last = self._last.pop(trial, {})
        if last and not failed:
            writer.add_hparams(_values.hparams(trial.config), last, name="hparams")
            writer.log_variants(self._model_name, {str(trial): last}, baseline=str(trial))
        writer.close()
