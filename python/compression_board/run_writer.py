"""RunWriter: one run on the disk, its files and its scalars. SummaryWriter adds the other kinds."""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Optional, TypeVar, Union

from . import _engine, summary_bytes
from .errors import check, check_mapping
from .event_files import bypass_allowed
from .file_writer import DummyFileWriter, FileWriter
from .tensors import to_float
from .types import ArrayLike, Number, PathLike

Self = TypeVar("Self", bound="RunWriter")
AnyFileWriter = Union[FileWriter, DummyFileWriter]


class RunWriter(_engine.ScalarWriter):
    """A run: its event file, its sub-runs, and everything that is one number per step."""

    def __init__(
        self,
        logdir: Optional[PathLike] = None,
        comment: str = "",
        purge_step: Optional[int] = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        log_dir: Optional[PathLike] = None,
        comet_config: Mapping[str, Any] = {"disabled": True},  # Never changed.
        **kwargs: Any,
    ) -> None:
        logdir = logdir if logdir is not None else log_dir
        if not logdir:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            logdir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.logdir = str(logdir)
        self.purge_step = purge_step
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._filename_suffix = filename_suffix
        self._write_to_disk = write_to_disk
        self._comet_config = comet_config
        self.kwargs = kwargs
        self.file_writer: Optional[AnyFileWriter] = None
        self.all_writers: Optional[dict[str, AnyFileWriter]] = None
        self.scalar_dict: dict[str, list[list[Any]]] = {}
        from .comet_utils import CometLogger

        self._comet_logger = CometLogger(comet_config)
        self._get_file_writer()

    # Files -----------------------------------------------------------------------------------

    def _get_file_writer(self) -> Any:
        """The open FileWriter; a new one after close()."""
        if not self._write_to_disk:
            self.file_writer = DummyFileWriter(self.logdir)
            self.all_writers = {self.logdir: self.file_writer}
        elif self.all_writers is None or self.file_writer is None:
            self.file_writer = writer = FileWriter(
                self.logdir, self._max_queue, self._flush_secs, self._filename_suffix, **self.kwargs
            )
            self.all_writers = {self.logdir: writer}
            if self.purge_step is not None:
                self._announce_restart(writer, self.purge_step)
            file = writer.event_writer._file
            direct = isinstance(file, _engine.EventFile) and self._comet_logger.disabled
            self._attach(file if direct else None)
        return self.file_writer

    @staticmethod
    def _announce_restart(writer: FileWriter, step: int) -> None:
        from ._protos import Event, SessionLog

        writer.add_event(Event(step=step, file_version="brain.Event:2"))
        writer.add_event(Event(step=step, session_log=SessionLog(status=SessionLog.START)))

    def _write(self, serialized: bytes, step: Optional[int], walltime: Optional[float]) -> None:
        self._get_file_writer().add_serialized_summary(serialized, step, walltime)

    def _direct_file(self) -> Optional[_engine.EventFile]:
        """The engine's file, where nobody has to see the events on their way to it."""
        writer = self._get_file_writer()
        if isinstance(writer, FileWriter) and bypass_allowed(writer.event_writer._file):
            file: _engine.EventFile = writer.event_writer._file
            return file
        return None

    def _sub_run(self, main_tag: str, key: str) -> str:
        if "://" in self.logdir or ":" in self.logdir.split("/")[0]:
            return f"{self.logdir}/{main_tag}/{key}"
        return _engine.sub_run_path(self.logdir, str(main_tag), str(key))

    def _sub_writer(self, path: str) -> AnyFileWriter:
        assert self.all_writers is not None
        writer = self.all_writers.get(path)
        if writer is None:
            writer = FileWriter(path) if self._write_to_disk else DummyFileWriter(path)
            self.all_writers[path] = writer
        return writer

    def use_metadata(self, *, global_step: Optional[int] = None,
                     walltime: Optional[float] = None) -> AbstractContextManager[Any]:  # fmt: skip
        """Gives `global_step` and `walltime` to all events inside that have none of their own.

            with writer.use_metadata(global_step=5):
                writer.add_scalar("loss", 0.25)  # Is of step 5.
        """
        used: AbstractContextManager[Any] = self._get_file_writer().use_metadata(
            global_step=global_step, walltime=walltime
        )
        return used

    def flush(self) -> None:
        """Returns when everything added before is with the operating system, sub-runs included.

        OSError when the disk refuses; what could not be written is kept and tried again.
        """
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Flushes and closes all files. A method that is called later goes on in a new one."""
        writers, self.all_writers, self.file_writer = self.all_writers, None, None
        self._attach(None)
        for writer in (writers or {}).values():
            writer.flush()
            writer.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        self.close()

    # Scalars ---------------------------------------------------------------------------------

    # add_scalar is ScalarWriter's, in C++; what it does not take comes here.
    def _add_scalar(self, tag: str, scalar_value: Number, global_step: Optional[int],
                    walltime: Optional[float], display_name: Optional[str],
                    description: Optional[str]) -> None:  # fmt: skip
        serialized = summary_bytes.scalar_bytes(
            tag, scalar_value, display_name or "", description or ""
        )
        self._write(serialized, global_step, walltime)
        self._comet_logger.log_metric(tag, display_name, scalar_value, global_step)

    def add_labelled_scalar(self, tag: str, scalar_value: Number,
                            global_step: Optional[int] = None, walltime: Optional[float] = None, *,
                            display_name: str = "", description: str = "", plugin_name: str = "",
                            plugin_content: bytes = b"") -> None:  # fmt: skip
        """add_scalar with summary metadata: names and notes for viewers, data for a plugin."""
        serialized = summary_bytes.scalar_bytes(
            tag, scalar_value, display_name, description, plugin_name, plugin_content
        )
        self._write(serialized, global_step, walltime)

    def add_scalar_batch(self, tag: str, scalar_values: ArrayLike, global_steps: ArrayLike,
                         walltimes: Optional[ArrayLike] = None) -> None:  # fmt: skip
        """A whole curve in one call: one point of `tag` per element, at half of add_scalar's cost.

        `walltimes` are seconds since 1970; without them, all points are of now. ValueError when
        there are not as many steps, or wall times, as values; then nothing is logged.
        """
        import numpy as np

        from .tensors import to_numpy

        def flat(numbers: ArrayLike, dtype: Any) -> Any:
            array = to_numpy(numbers)
            if array.dtype.kind in "cSUOMm":  # numpy would make something of most of these.
                raise TypeError(f"expected numbers, got elements of type {array.dtype}")
            if dtype is np.int64 and array.dtype.kind == "f":
                check(bool(np.isfinite(array).all()), "a step is NaN or infinite")
            return np.ascontiguousarray(array, dtype=dtype).ravel()

        values, steps = flat(scalar_values, np.float64), flat(global_steps, np.int64)
        times = None if walltimes is None else flat(walltimes, np.float64)
        if len(steps) != len(values) or (times is not None and len(times) != len(values)):
            raise ValueError(f"{len(values)} values need as many steps and wall times")
        file = self._direct_file()
        if file is not None:
            file.add_scalars(tag, values, steps, times)
            return
        for i, (value, step) in enumerate(zip(values.tolist(), steps.tolist())):
            self.add_scalar(tag, value, step, None if times is None else float(times[i]))

    def add_scalars(self, main_tag: str, tag_scalar_dict: Mapping[str, Number],
                    global_step: Optional[int] = None,
                    walltime: Optional[float] = None) -> None:  # fmt: skip
        """One value per key, each in a run of its own, so that one chart shows them together.

        The runs are `<logdir>/<main_tag>/<key>`, with the tag `main_tag` in each. ValueError when
        a key would lead out of the log directory.
        """
        check_mapping(tag_scalar_dict, "tag_scalar_dict")
        walltime = time.time() if walltime is None else walltime
        self._get_file_writer()
        paths = {key: self._sub_run(main_tag, key) for key in tag_scalar_dict}
        for key, value in tag_scalar_dict.items():
            number = to_float(value)
            serialized = summary_bytes.scalar_bytes(main_tag, number)
            self._sub_writer(paths[key]).add_serialized_summary(serialized, global_step, walltime)
            self.scalar_dict.setdefault(paths[key], []).append([walltime, global_step, number])

    def export_scalars_to_json(self, path: PathLike) -> None:
        """Writes what add_scalars was given so far to `path`, and forgets it."""
        with open(os.fspath(path), "w") as file:
            json.dump(self.scalar_dict, file)
        self.scalar_dict = {}

    def add_hparams(self, hparam_dict: dict[str, Any], metric_dict: dict[str, Number],
                    name: Optional[str] = None,
                    global_step: Optional[int] = None) -> None:  # fmt: skip
        """One row of the HPARAMS page, as a run of its own: `<logdir>/<name>`.

        Parameters are bools, numbers and texts; None is left out. ValueError names the parameter
        that is anything else.
        """
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        events = summary_bytes.hparams_bytes(hparam_dict, metric_dict)
        run = os.path.join(self.logdir, str(name) if name else str(time.time()))
        with RunWriter(run, write_to_disk=self._write_to_disk) as writer:
            for serialized in events:
                writer._write(serialized, None, None)
            for tag, value in metric_dict.items():
                writer.add_scalar(tag, value, global_step)
