"""Samples hardware metrics while a program trains, compresses or measures.

with HardwareMonitor(writer) as monitor:
    train()

monitor.summary["metrics"]["cpu/percent"]["mean"]
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _engine
from .types import PathLike

if TYPE_CHECKING:
    from .writer import SummaryWriter


class HardwareMonitor:
    """Samples CPU, memory, disk, network, power and GPUs, and logs them as scalars hardware/….

    If a writer is given, the metrics are logged in the separate run `<logdir>/hardware`, because an
    event file has one writer, and viewers follow only one file of a run. If a directory is given,
    they are logged in that directory.
    """

    def __init__(
        self,
        writer_or_logdir: Union[SummaryWriter, PathLike],
        interval_seconds: float = 1.0,
        pid: int = 0,
        tag_prefix: str = "hardware",
    ) -> None:
        if isinstance(writer_or_logdir, (str, os.PathLike)):
            self.logdir = os.fspath(writer_or_logdir)
        else:
            self.logdir = os.path.join(writer_or_logdir.logdir, "hardware")
        self._monitor = _engine.HardwareMonitor(self.logdir, interval_seconds, pid, tag_prefix)
        self.summary: Optional[dict[str, Any]] = None

    def start(self) -> "HardwareMonitor":
        """Starts sampling in a separate thread."""
        self._monitor.start()
        return self

    def stop(self) -> dict[str, Any]:
        """Takes a last sample; logs and returns mean, max and 95th percentile of each metric."""
        self.summary = self._monitor.stop()
        return self.summary

    def __enter__(self) -> "HardwareMonitor":
        return self.start()

    def __exit__(self, *exc: Any) -> None:
        self.stop()
