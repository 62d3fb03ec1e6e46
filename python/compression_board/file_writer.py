"""FileWriter: writes summaries and events into one event file.

Serialized summaries are written directly. If `EventFileWriter.add_event` was replaced, or a
`use_metadata` block is open, they pass through add_event as Event messages.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any, Optional

from . import _engine
from .errors import check
from .event_files import EventFileWriter, direct_run
from .types import PathLike


def step_of(value: Any) -> int:
    """Returns a step in the form that the file stores: None becomes 0."""
    return 0 if value is None else int(value)


class FileWriter:
    """Writes summaries and events to one event file in `logdir`."""

    def __init__(self, logdir: PathLike, max_queue: int = 10, flush_secs: float = 120,
                 filename_suffix: str = "", durable: bool = False, *,
                 _run: Optional[_engine.Run] = None) -> None:  # fmt: skip
        self.event_writer = EventFileWriter(
            str(logdir), max_queue, flush_secs, filename_suffix, durable, _run=_run
        )
        self._default_metadata: dict[str, Any] = {}

    def get_logdir(self) -> str:
        """Returns the directory of the event file."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Any, step: Optional[int] = None,
                  walltime: Optional[float] = None) -> None:  # fmt: skip
        """Adds an Event message after setting its step and wall time."""
        defaults = self._default_metadata
        if walltime is not None:
            event.wall_time = walltime
        elif defaults:
            if defaults.get("walltime") is not None:
                event.wall_time = defaults["walltime"]
        else:
            event.wall_time = time.time()
        step = step if step is not None else defaults.get("global_step")
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: Optional[int] = None,
                    walltime: Optional[float] = None) -> None:  # fmt: skip
        """Adds a Summary message."""
        from ._protos import Event

        self.add_event(Event(summary=summary), global_step, walltime)

    def add_serialized_summary(self, serialized: bytes, global_step: Optional[int] = None,
                               walltime: Optional[float] = None) -> None:  # fmt: skip
        """Adds a serialized Summary. SummaryWriter's methods call this."""
        run = direct_run(self.event_writer)
        if run is not None:
            run.add_summary(serialized, step_of(global_step), walltime)
            return
        from ._protos import Summary

        self.add_summary(Summary.FromString(serialized), global_step, walltime)

    def _add_graph_def(self, serialized: bytes, walltime: Optional[float] = None) -> None:
        from ._protos import Event

        self.add_event(Event(graph_def=serialized), None, walltime)

    def add_graph(self, graph_profile: tuple[Any, Any], walltime: Optional[float] = None) -> None:
        """Adds a pair (GraphDef, RunMetadata)."""
        from ._protos import Event, TaggedRunMetadata

        graph, stats = graph_profile
        self._add_graph_def(graph.SerializeToString(), walltime)
        metadata = TaggedRunMetadata(tag="profiler", run_metadata=stats.SerializeToString())
        self.add_event(Event(tagged_run_metadata=metadata), None, walltime)

    def add_onnx_graph(self, graph: Any, walltime: Optional[float] = None) -> None:
        """Adds a GraphDef message that was created from an ONNX model."""
        self._add_graph_def(graph.SerializeToString(), walltime)

    def add_openvino_graph(self, graph: Any, walltime: Optional[float] = None) -> None:
        """Adds a GraphDef message that was created from an OpenVINO model."""
        self._add_graph_def(graph.SerializeToString(), walltime)

    def flush(self) -> None:
        """Returns when the operating system has received all earlier events."""
        self.event_writer.flush()

    def close(self) -> None:
        """Flushes and closes the file. Events added afterwards are dropped."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Opens a new file after close()."""
        self.event_writer.reopen()

    @contextlib.contextmanager
    def use_metadata(self, *, global_step: Optional[int] = None,
                     walltime: Optional[float] = None) -> Iterator["FileWriter"]:  # fmt: skip
        """Sets `global_step` and `walltime` of all events inside the block, unless an event has its
        own.
        """
        check(not self._default_metadata, "Default metadata are already set.")
        check(global_step is not None or walltime is not None, "No metadata are given.")
        self._default_metadata = {"global_step": global_step, "walltime": walltime}
        self.event_writer._set_direct(False)
        try:
            yield self
        finally:
            self._default_metadata = {}
            self.event_writer._set_direct(True)


class DummyFileWriter:
    """A FileWriter that accepts every call and writes nothing."""

    def __init__(self, logdir: PathLike) -> None:
        self._logdir = str(logdir)

    def get_logdir(self) -> str:
        return self._logdir

    def _ignore(self, *args: Any, **kwargs: Any) -> None:
        return None

    add_event = add_summary = add_serialized_summary = add_graph = _ignore
    add_onnx_graph = add_openvino_graph = _add_graph_def = flush = close = reopen = _ignore

    @contextlib.contextmanager
    def use_metadata(self, *, global_step: Optional[int] = None,
                     walltime: Optional[float] = None) -> Iterator["DummyFileWriter"]:  # fmt: skip
        yield self
