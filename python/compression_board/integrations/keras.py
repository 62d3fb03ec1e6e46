"""A callback for Keras 3, on every backend, and for tf.keras.

    from compression_board.integrations.keras import CompressionBoardCallback

    model.fit(x, y, callbacks=[CompressionBoardCallback("runs/fit")])
"""

from __future__ import annotations

import os
from typing import Any, Optional, Union

try:
    from keras.callbacks import Callback
except ImportError:
    from tensorflow.keras.callbacks import Callback

from ..writer import SummaryWriter
from . import _values


class CompressionBoardCallback(Callback):
    """Logs metrics per epoch in the runs `train` and `validation`, like Keras' TensorBoard
    callback.

    `update_freq` is the number of batches after which training metrics are also logged, as
    batch_<metric>. `histogram_freq` is the number of epochs after which a histogram of every weight
    is logged.
    """

    def __init__(self, log_dir: Union[str, os.PathLike] = "runs/keras", update_freq: int = 0,
                 histogram_freq: int = 0) -> None:  # fmt: skip
        super().__init__()
        self._log_dir = os.fspath(log_dir)
        self._update_freq = update_freq
        self._histogram_freq = histogram_freq
        self._writers: dict[str, SummaryWriter] = {}
        self._batch = 0

    def _writer(self, run: str) -> SummaryWriter:
        if run not in self._writers:
            self._writers[run] = SummaryWriter(os.path.join(self._log_dir, run))
        return self._writers[run]

    def on_train_batch_end(self, batch: int, logs: Optional[dict[str, Any]] = None) -> None:
        self._batch += 1
        if self._update_freq and self._batch % self._update_freq == 0:
            for name, number in _values.scalars(logs or {}):
                self._writer("train").add_scalar(f"batch_{name}", number, self._batch)

    def on_epoch_end(self, epoch: int, logs: Optional[dict[str, Any]] = None) -> None:
        for name, number in _values.scalars(logs or {}):
            is_validation = name.startswith("val_")
            run = "validation" if is_validation else "train"
            self._writer(run).add_scalar(f"epoch_{name[4:] if is_validation else name}", number, epoch)
        if self._histogram_freq and epoch % self._histogram_freq == 0:
            for layer in self.model.layers:
                for variable, values in zip(layer.weights, layer.get_weights()):
                    name = getattr(variable, "path", variable.name)
                    self._writer("train").add_histogram(name, values, epoch)
        for writer in self._writers.values():
            writer.flush()

    def on_train_end(self, logs: Optional[dict[str, Any]] = None) -> None:
        for writer in self._writers.values():
            writer.close()
        self._writers = {}
