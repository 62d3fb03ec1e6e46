"""A tracker for Hugging Face's Accelerate.

    from compression_board.integrations.accelerate import CompressionBoardTracker

    accelerator = Accelerator(log_with=CompressionBoardTracker("my_run", logging_dir="runs"))
    accelerator.init_trackers("my_run", config=settings)
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from accelerate.tracking import GeneralTracker, on_main_process

from ..writer import SummaryWriter
from . import _values


class CompressionBoardTracker(GeneralTracker):
    """Logs to `<logging_dir>/<run_name>`; only the main process logs."""

    name = "compression_board"
    requires_logging_directory = True

    def __init__(self, run_name: str, logging_dir: Union[str, os.PathLike] = "runs",
                 **writer_options: Any) -> None:  # fmt: skip
        super().__init__()
        self.run_name = run_name
        self.logging_dir = os.path.join(os.fspath(logging_dir), run_name)
        self._options = writer_options
        self._writer: Optional[SummaryWriter] = None
        self._settings: dict[str, Any] = {}
        self._last: dict[str, float] = {}

    @on_main_process
    def start(self) -> None:
        self._open()

    def _open(self) -> SummaryWriter:
        if self._writer is None:
            self._writer = SummaryWriter(self.logging_dir, **self._options)
        return self._writer

    @property
    def tracker(self) -> SummaryWriter:
        """Returns the SummaryWriter, for values that the tracker has no method for."""
        return self._open()

    @on_main_process
    def store_init_configuration(self, values: Mapping[str, Any]) -> None:
        """Stores the settings; they become a row of the HParams page when tracking ends."""
        self._settings.update(_values.hparams(values))

    @on_main_process
    def log(self, values: Mapping[str, Any], step: Optional[int] = None, **kwargs: Any) -> None:
        """Logs numbers as scalars, texts as texts, and groups of numbers as one chart."""
        writer = self._open()
        for name, value in values.items():
            number = _values.scalar(value)
            if number is not None:
                writer.add_scalar(name, number, step, **kwargs)
                self._last[name] = number
            elif isinstance(value, str):
                writer.add_text(name, value, step, **kwargs)
            elif isinstance(value, Mapping):
                writer.add_scalars(name, dict(_values.scalars(value)), step, **kwargs)
        writer.flush()

    @on_main_process
    def log_images(self, values: Mapping[str, Any], step: Optional[int] = None, **kwargs: Any) -> None:
        """Logs batches of images. `dataformats` has the same meaning as in add_images."""
        for name, images in values.items():
            self._open().add_images(name, images, step, **kwargs)

    @on_main_process
    def finish(self) -> None:
        if self._writer is None:
            return
        if self._settings:
            self._writer.add_hparams(self._settings, self._last, name="hparams")
        self._writer.close()
