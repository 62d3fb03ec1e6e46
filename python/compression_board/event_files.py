"""Event files and record files: the layer below SummaryWriter."""

from __future__ import annotations

import atexit
import logging
import os
import re
import time
import weakref
from typing import Any, Callable, Optional

from . import _engine
from .remote import GCSRecordWriterFactory, S3RecordWriterFactory

logger = logging.getLogger("compression_board")

_REMOTE = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")

# Factories by path prefix. A factory opens the files whose path begins with `<prefix>:`.
REGISTERED_FACTORIES: dict[str, Any] = {
    "s3": S3RecordWriterFactory(),
    "gs": GCSRecordWriterFactory(),
}

# Open writers. They are closed when the interpreter ends, so that no events are lost.
_open_files: "weakref.WeakSet[Any]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for writer in list(_open_files):
        try:
            writer.close()
        except Exception as error:  # The other writers must still be closed.
            logger.error("%s", error)


def register_writer_factory(prefix: str, factory: Any) -> None:
    """Uses `factory` for paths that begin with `<prefix>:`."""
    if ":" in prefix:
        raise ValueError("prefix must not contain ':'")
    REGISTERED_FACTORIES[prefix] = factory


def _factory_for(path: str) -> Optional[Any]:
    found = _REMOTE.match(path)
    return REGISTERED_FACTORIES.get(found[1]) if found else None


def is_remote(path: str) -> bool:
    """Returns True if a factory writes the event files below `path`.

    The engine itself writes to s3:// and, with HMAC keys, to gs://, unless another factory is
    registered for them.
    """
    factory = _factory_for(path)
    if isinstance(factory, S3RecordWriterFactory):
        return False
    if isinstance(factory, GCSRecordWriterFactory):
        return "GS_ACCESS_KEY_ID" not in os.environ
    return factory is not None


def directory_check(path: str) -> None:
    """Creates the directory `path` if it is local."""
    factory = _factory_for(path)
    if factory is not None:
        factory.directory_check(path)
    else:
        os.makedirs(path, exist_ok=True)


def open_file(path: str) -> Any:
    factory = _factory_for(path)
    return factory.open(path) if factory is not None else open(path, "wb")


class RecordWriter:
    """Writes records of bytes, with the frame and the checksums that TensorBoard requires."""

    def __init__(self, path: str) -> None:
        self.path = os.fspath(path)
        directory_check(os.path.dirname(self.path) or ".")
        self._writer = open_file(self.path)

    def write(self, event_str: bytes) -> None:
        self._writer.write(_engine.record(bytes(event_str)))

    def flush(self) -> None:
        self._writer.flush()

    def close(self) -> None:
        self._writer.close()


class _RemoteFile:
    """An event file that a factory opened. It has the methods of the engine's Run that write
    events.
    """

    direct = False

    def __init__(self, directory: str, suffix: str) -> None:
        import socket

        from ._protos import Event

        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}{suffix}"
        self.event_file = f"{directory.rstrip('/')}/{name}"
        self._writer = RecordWriter(self.event_file)
        first = Event(wall_time=time.time(), file_version="brain.Event:2")
        self._writer.write(first.SerializeToString())

    def add_event(self, event: bytes) -> None:
        self._writer.write(event)

    def flush(self) -> None:
        self._writer.flush()

    def close(self) -> None:
        self._writer.flush()
        self._writer.close()


class EventsWriter:
    """The event file of an EventFileWriter, with tensorboardX's methods."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._file_name = file.event_file

    def write_event(self, event: Any) -> None:
        self._file.add_event(event.SerializeToString())

    def flush(self) -> bool:
        self._file.flush()
        return True

    def close(self) -> bool:
        self._file.close()
        return True


class EventFileWriter:
    """Writes `Event` messages to a new event file in `logdir`, in the background."""

    def __init__(
        self,
        logdir: str,
        max_queue_size: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
        durable: bool = False,
        *,
        _run: Optional[_engine.Run] = None,
    ) -> None:
        self._logdir = str(logdir)
        self._options = (max_queue_size, flush_secs, filename_suffix, durable)
        self._file: Any = _run
        self._open()

    def _open(self) -> None:
        max_queue, flush_secs, suffix, durable = self._options
        if is_remote(self._logdir):
            self._file = _RemoteFile(self._logdir, suffix)
        elif self._file is None:
            self._file = _engine.Run(
                self._logdir,
                max_queue=max(1, int(max_queue)),
                flush_secs=float(flush_secs),
                filename_suffix=suffix,
                durable=durable,
            )
        self._closed = False
        self._ev_writer = EventsWriter(self._file)
        self._set_direct(True)
        _open_files.add(self)

    def _set_direct(self, direct: bool) -> None:
        """Returns True if summaries may be written as bytes. This is not possible inside a
        use_metadata block and after close().
        """
        if isinstance(self._file, _engine.Run):
            self._file.direct = direct and not self._closed

    def get_logdir(self) -> str:
        return self._logdir

    def add_event(self, event: Any) -> None:
        """Adds an Event message. After close(), drops it without an error."""
        if not self._closed:
            self._file.add_event(event.SerializeToString())

    def flush(self) -> None:
        """Returns when the operating system or the bucket has received all earlier events."""
        if not self._closed:
            self._file.flush()

    def close(self) -> None:
        """Flushes and closes the file. Calling it again does nothing."""
        if not self._closed:
            self._closed = True
            self._set_direct(False)
            _open_files.discard(self)
            self._file.close()

    def reopen(self) -> None:
        """Opens a new file after close(). Does nothing while a file is open."""
        if self._closed:
            self._open()


_original_add_event: Callable[..., None] = EventFileWriter.__dict__["add_event"]
_engine.watch_add_event(EventFileWriter, _original_add_event)


def add_event_replaced() -> bool:
    """Returns True if a program has replaced EventFileWriter.add_event to see every event."""
    return EventFileWriter.__dict__["add_event"] is not _original_add_event


def direct_run(writer: EventFileWriter) -> Optional[_engine.Run]:
    """Returns the engine's run if events need not pass through `writer`; otherwise None."""
    if writer._file.direct and not add_event_replaced():
        run: _engine.Run = writer._file
        return run
    return None
