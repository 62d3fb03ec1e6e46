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

logger = logging.getLogger("compression_board")

_REMOTE = re.compile(r"^([A-Za-z][A-Za-z0-9+.-]+):")
_factories: dict[str, Any] = {}

# Writers that are open when the interpreter ends are closed, so that nothing is lost.
_open_files: "weakref.WeakSet[Any]" = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for writer in list(_open_files):
        try:
            writer.close()
        except Exception as error:  # The interpreter is going; the others must be closed, too.
            logger.error("%s", error)


def register_writer_factory(prefix: str, factory: Any) -> None:
    """Writes paths that begin with `<prefix>:` through `factory`."""
    if ":" in prefix:
        raise ValueError("prefix cannot contain a :")
    _factories[prefix] = factory


def _factory_for(path: str) -> Optional[Any]:
    found = _REMOTE.match(path)
    return _factories.get(found[1]) if found else None


def directory_check(path: str) -> None:
    """Makes the directory `path`, where it is a local one."""
    factory = _factory_for(path)
    if factory is not None:
        factory.directory_check(path)
    else:
        os.makedirs(path, exist_ok=True)


def open_file(path: str) -> Any:
    factory = _factory_for(path)
    return factory.open(path) if factory is not None else open(path, "wb")


class RecordWriter:
    """Writes records of bytes, framed and checksummed as TensorBoard reads them."""

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
    """An event file behind a factory: what the engine's EventFile is to local ones."""

    plain = False

    def __init__(self, directory: str, suffix: str) -> None:
        import socket

        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}{suffix}"
        self.path = f"{directory.rstrip('/')}/{name}"
        self.closed = False
        self._writer = RecordWriter(self.path)
        from ._protos import Event

        first = Event(wall_time=time.time(), file_version="brain.Event:2")
        self._writer.write(first.SerializeToString())

    def add_event(self, event: bytes) -> None:
        if not self.closed:
            self._writer.write(event)

    def flush(self) -> None:
        if not self.closed:
            self._writer.flush()

    def close(self) -> None:
        if not self.closed:
            self._writer.flush()
            self._writer.close()
            self.closed = True


class EventsWriter:
    """The file itself, under the names tensorboardX gives it."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._file_name = file.path

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
    ) -> None:
        self._logdir = str(logdir)
        self._options = (max_queue_size, flush_secs, filename_suffix)
        self._open()

    def _open(self) -> None:
        max_queue, flush_secs, suffix = self._options
        if _factory_for(self._logdir) is not None:
            self._file: Any = _RemoteFile(self._logdir, suffix)
        else:
            self._file = _engine.EventFile(
                self._logdir, None, max(1, int(max_queue)), float(flush_secs), suffix
            )
        self._ev_writer = EventsWriter(self._file)
        _open_files.add(self)

    def get_logdir(self) -> str:
        return self._logdir

    def add_event(self, event: Any) -> None:
        """Adds an Event message. Dropped without an error after close()."""
        self._file.add_event(event.SerializeToString())

    def flush(self) -> None:
        """Returns when everything added before is with the operating system."""
        self._file.flush()

    def close(self) -> None:
        self._file.close()
        _open_files.discard(self)

    def reopen(self) -> None:
        """After close(), goes on in a new file. Does nothing while open."""
        if self._file.closed:
            self._open()


_original_add_event: Callable[..., None] = EventFileWriter.__dict__["add_event"]
_engine.set_choke_point(EventFileWriter, _original_add_event)


def bypass_allowed(file: Any) -> bool:
    """Whether serialized events may go to `file` without passing through EventFileWriter."""
    return file.plain and EventFileWriter.__dict__["add_event"] is _original_add_event
