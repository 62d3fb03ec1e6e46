"""RunWriter: the files and scalars of a run. The subclass SummaryWriter adds all other kinds of
data.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Optional, TypeVar, Union

from . import _engine, summary_bytes
from .comet_utils import CometLogger
from .errors import check, check_mapping
from .event_files import add_event_replaced, direct_run, is_remote
from .file_writer import DummyFileWriter, FileWriter
from .tensors import to_float
from .types import ArrayLike, Number, PathLike

Self = TypeVar("Self", bound="RunWriter")
AnyFileWriter = Union[FileWriter, DummyFileWriter]


class _FileWriters(dict[str, AnyFileWriter]):
    """The FileWriters of all run directories. The engine passes every event to this object. The
    object passes the event to the FileWriter of the event's run.
    """

    def __init__(self, *options: Any) -> None:
        super().__init__()
        self._options = options

    def __missing__(self, directory: str) -> AnyFileWriter:
        writer = self[directory] = FileWriter(directory, *self._options)
        return writer

    def __call__(self, directory: str, event: bytes) -> None:
        from ._protos import Event

        self[directory].event_writer.add_event(Event.FromString(event))


def _discard(directory: str, event: bytes) -> None:
    """The event sink of a writer that writes nothing to the disk."""


class RunWriter(_engine.ScalarWriter):
    """Manages the event file of a run, its sub-runs and its scalars.

    The engine's Run defines the default directory, sub-runs, purge_step and fork(). FileWriter has
    the methods of tensorboardX's class of that name.
    """

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
        *,
        durable: bool = False,
        **kwargs: Any,
    ) -> None:
        logdir = logdir if logdir is not None else log_dir
        self.logdir = "" if not logdir else str(logdir)
        self.purge_step = purge_step
        self._comment = comment
        if durable and is_remote(self.logdir):
            raise ValueError(
                f"durable=True works for local directories and buckets only, not for {self.logdir!r}: "
                "remove durable"
            )
        self._durable = bool(durable)
        self._options = (max(1, int(max_queue)), float(flush_secs), filename_suffix, self._durable)
        self._write_to_disk = write_to_disk
        self._comet_config = comet_config
        self.kwargs = kwargs
        self.file_writer: Optional[AnyFileWriter] = None
        self.all_writers: Optional[dict[str, AnyFileWriter]] = None
        self._writers = _FileWriters(*self._options)
        self._run: Optional[_engine.Run] = None
        self._observed_run: Optional[_engine.Run] = None
        self._comet_logger: Optional[CometLogger] = None
        self._get_file_writer()

    # Files -----------------------------------------------------------------------------------

    def _get_file_writer(self) -> Any:
        """Returns the open FileWriter; creates a new one after close()."""
        if self.file_writer is None:
            remote = is_remote(self.logdir)
            if not self._write_to_disk:
                self._run = self._run or self._new_run(_discard)
                writer: AnyFileWriter = DummyFileWriter(self._run.directory)
            elif remote:
                # The FileWriter is created before the engine's run, because it receives the first
                # events of that run.
                writer = FileWriter(self.logdir, *self._options, **self.kwargs)
                self._writers[self.logdir] = writer
                self._run = self._run or self._new_run(self._writers)
            else:
                self._run = self._run or self._new_run(None)
                writer = FileWriter(
                    self._run.directory, *self._options, _run=self._run, **self.kwargs
                )
            self.logdir = self._run.directory
            self._writers[self.logdir] = self.file_writer = writer
            self.all_writers = self._writers
            direct = self._write_to_disk and not remote and self._comet.disabled
            self._attach(self._run if direct else None)
        return self.file_writer

    @property
    def _comet(self) -> CometLogger:
        """Returns the Comet experiment; creates a new one after close()."""
        if self._comet_logger is None:
            self._comet_logger = CometLogger(self._comet_config)
        return self._comet_logger

    def _new_run(self, sink: Any) -> _engine.Run:
        return _engine.Run(self.logdir, self._comment, self.purge_step, *self._options, sink)

    def _run_for_groups(self) -> _engine.Run:
        """Returns the run that add_scalars and add_hparams log to."""
        self._get_file_writer()
        assert self._run is not None
        if not (add_event_replaced() and self._write_to_disk):
            return self._run
        if self._observed_run is None:  # Its events pass through add_event of the FileWriters.
            self._observed_run = _engine.Run(self.logdir, sink=self._writers)
        return self._observed_run

    def _write(self, serialized: bytes, step: Optional[int], walltime: Optional[float]) -> None:
        self._get_file_writer().add_serialized_summary(serialized, step, walltime)

    def _direct_run(self) -> Optional[_engine.Run]:
        """Returns the engine's run if events need not pass through the FileWriter, or None."""
        writer = self._get_file_writer()
        return direct_run(writer.event_writer) if isinstance(writer, FileWriter) else None

    def use_metadata(self, *, global_step: Optional[int] = None,
                     walltime: Optional[float] = None) -> AbstractContextManager[Any]:  # fmt: skip
        """Sets `global_step` and `walltime` of all events inside the block, unless an event has its
        own.

            with writer.use_metadata(global_step=5):
                writer.add_scalar("loss", 0.25)  # Logged at step 5.
        """
        used: AbstractContextManager[Any] = self._get_file_writer().use_metadata(
            global_step=global_step, walltime=walltime
        )
        return used

    def flush(self) -> None:
        """Returns when the operating system has received all earlier events, including those of
        sub-runs.

        If the writer is durable, they are on the disk then. For a log directory in a bucket
        (`s3://`), it returns when the store has received the events. Raises OSError if the disk or
        the store fails. Events that could not be written are kept, and writing is tried again
        later.
        """
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Flushes and closes all files. Later calls of other methods continue in a new file."""
        writers = list(self._writers.values())
        self.all_writers = self.file_writer = None
        self._writers.clear()
        self._attach(None)
        failure: Optional[Exception] = None
        for writer in writers:  # An error of one writer must not leave the others open.
            try:
                writer.close()
            except Exception as error:
                failure = failure or error
        if self._comet_logger is not None:
            self._comet_logger.end()
            self._comet_logger = None
        if failure is not None:
            raise failure

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        self.close()

    # Scalars ---------------------------------------------------------------------------------

    # Handles the scalars that the C++ method add_scalar (ScalarWriter) does not handle.
    def _add_scalar(self, tag: str, scalar_value: Number, global_step: Optional[int],
                    walltime: Optional[float], display_name: Optional[str],
                    description: Optional[str]) -> None:  # fmt: skip
        serialized = summary_bytes.scalar_bytes(
            tag, scalar_value, display_name or "", description or ""
        )
        self._write(serialized, global_step, walltime)
        self._comet.log_metric(tag, display_name, scalar_value, global_step)

    def add_labelled_scalar(self, tag: str, scalar_value: Number,
                            global_step: Optional[int] = None, walltime: Optional[float] = None, *,
                            display_name: str = "", description: str = "", plugin_name: str = "",
                            plugin_content: bytes = b"") -> None:  # fmt: skip
        """Logs a scalar with summary metadata: a name and description for viewers, data for a
        plugin.
        """
        serialized = summary_bytes.scalar_bytes(
            tag, scalar_value, display_name, description, plugin_name, plugin_content
        )
        self._write(serialized, global_step, walltime)

    def add_scalar_batch(self, tag: str, scalar_values: ArrayLike, global_steps: ArrayLike,
                         walltimes: Optional[ArrayLike] = None) -> None:  # fmt: skip
        """Logs a whole curve in one call: one point of `tag` per element. Takes half the time of
        add_scalar.

        `walltimes` are seconds since 1970; the default is the current time. Raises ValueError if
        the numbers of values, steps and wall times differ; nothing is logged then.
        """
        import numpy as np

        from .tensors import to_numpy

        def flat(numbers: ArrayLike, dtype: Any) -> Any:
            array = to_numpy(numbers)
            if array.dtype.kind in "cSUOMm":  # numpy would convert most of these.
                raise TypeError(f"expected numbers, got elements of type {array.dtype}")
            if dtype is np.int64 and array.dtype.kind == "f":
                check(bool(np.isfinite(array).all()), "a step is NaN or infinite")
            return np.ascontiguousarray(array, dtype=dtype).ravel()

        values, steps = flat(scalar_values, np.float64), flat(global_steps, np.int64)
        times = None if walltimes is None else flat(walltimes, np.float64)
        if len(steps) != len(values) or (times is not None and len(times) != len(values)):
            raise ValueError(f"got {len(values)} values, but another number of steps or wall times; give one of each per value")
        run = self._direct_run()
        if run is not None:
            run.add_scalar_batch(_engine.stored_tag(tag), values, steps, times)
            return
        for i, (value, step) in enumerate(zip(values.tolist(), steps.tolist())):
            self.add_scalar(tag, value, step, None if times is None else float(times[i]))

    def add_scalars(self, main_tag: str, tag_scalar_dict: Mapping[str, Number],
                    global_step: Optional[int] = None,
                    walltime: Optional[float] = None) -> None:  # fmt: skip
        """Logs one value per key, each in a separate run, so that one chart shows them together.

        The runs are `<logdir>/<main_tag>/<key>`, with the tag `main_tag` in each. Raises ValueError
        if a key would lead out of the log directory.
        """
        check_mapping(tag_scalar_dict, "tag_scalar_dict")
        values = {str(key): to_float(value) for key, value in tag_scalar_dict.items()}
        step = None if global_step is None else int(global_step)
        tag = _engine.stored_tag(str(main_tag))
        self._run_for_groups().add_scalars(tag, values, step, walltime)
        self._comet.log_metrics(values, str(main_tag), step)

    @property
    def scalar_dict(self) -> dict[str, list[list[Any]]]:
        """Returns the points of add_scalars: {run directory: [[wall time, step, value], …]}."""
        if self._run is None:
            return {}
        points: dict[str, list[list[Any]]] = json.loads(
            self._run_for_groups().grouped_scalars_json()
        )
        return points

    def export_scalars_to_json(self, path: PathLike) -> None:
        """Writes the points in `scalar_dict` to the file `path` and clears the dict."""
        self._run_for_groups().export_scalars_to_json(os.fspath(path))

    def add_hparams(self, hparam_dict: dict[str, Any], metric_dict: dict[str, Number],
                    name: Optional[str] = None,
                    global_step: Optional[int] = None) -> None:  # fmt: skip
        """Logs one row of the HPARAMS page, as a separate run: `<logdir>/<name>`.

        Parameters are bools, numbers and texts; None is left out. Raises ValueError for a parameter
        of any other type, and for a name that would lead out of the log directory. Without a name,
        the current time is the name.
        """
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict must be dictionaries")
        metrics = [(_engine.stored_tag(str(tag)), to_float(value)) for tag, value in metric_dict.items()]
        step = None if global_step is None else int(global_step)
        self._run_for_groups().add_hparams(
            summary_bytes.hparam_pairs(hparam_dict), metrics, str(name) if name else "", step
        )
        self._comet.log_parameters(hparam_dict, step=step)
