"""GlobalSummaryWriter: one SummaryWriter for a whole program, including its forked processes."""

from __future__ import annotations

import hashlib
import mmap
import multiprocessing
import struct
from typing import Any, Optional

from .types import ArrayLike, Number, PathLike
from .writer import SummaryWriter


class _SharedCounters:
    """Counters by name, shared by a process and its forked child processes.

    Implemented as a hash table in shared memory. A slot holds the 64-bit hash of a name and its
    count.
    """

    _SLOTS = 1 << 20  # 16 MiB; unused pages take no memory.
    _SLOT = struct.Struct("<QQ")

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, self._SLOTS * self._SLOT.size)
        self._lock = multiprocessing.get_context("fork").Lock()

    def next(self, name: str) -> int:
        """Counts a call with `name`. Returns the number of earlier calls with `name` in all
        processes.
        """
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = int.from_bytes(digest, "little") or 1  # 0 is an empty slot.
        with self._lock:
            for probe in range(self._SLOTS):
                offset = (key + probe) % self._SLOTS * self._SLOT.size
                found, count = self._SLOT.unpack_from(self._memory, offset)
                if found in (0, key):
                    self._SLOT.pack_into(self._memory, offset, key, count + 1)
                    return int(count)
        raise ValueError("too many different tags for a GlobalSummaryWriter; use a SummaryWriter")


class GlobalSummaryWriter:
    """A writer that counts the steps of each tag, so that any process can add the next point.

    Takes the same arguments as SummaryWriter.
    """

    _global: Optional["GlobalSummaryWriter"] = None

    def __init__(self, logdir: Optional[PathLike] = None, comment: str = "",
                 purge_step: Optional[int] = None, max_queue: int = 10, flush_secs: float = 120,
                 filename_suffix: str = "", write_to_disk: bool = True,
                 log_dir: Optional[PathLike] = None, coalesce_process: bool = True, *,
                 durable: bool = False, **kwargs: Any) -> None:  # fmt: skip
        self.smw = SummaryWriter(
            logdir=logdir, comment=comment, purge_step=purge_step, max_queue=max_queue,
            flush_secs=flush_secs, filename_suffix=filename_suffix, write_to_disk=write_to_disk,
            log_dir=log_dir, durable=durable,
        )  # fmt: skip
        self._counters = _SharedCounters()

    def _next_step(self, kind: str, tag: str) -> int:
        return self._counters.next(f"{kind}/{tag}")

    def add_scalar(self, tag: str, scalar_value: Number, walltime: Optional[float] = None) -> None:
        """Adds the next point of the curve `tag`."""
        self.smw.add_scalar(tag, scalar_value, self._next_step("scalar", tag), walltime)

    def add_image(self, tag: str, img_tensor: ArrayLike, walltime: Optional[float] = None,
                  dataformats: str = "CHW") -> None:  # fmt: skip
        """Adds the next picture of `tag`."""
        self.smw.add_image(tag, img_tensor, self._next_step("image", tag), walltime, dataformats)

    def add_text(self, tag: str, text_string: str, walltime: Optional[float] = None) -> None:
        """Adds the next text of `tag`."""
        self.smw.add_text(tag, text_string, self._next_step("text", tag), walltime)

    def close(self) -> None:
        """Flushes and closes all files."""
        self.smw.close()

    @property
    def file_writer(self) -> Any:
        """Returns the FileWriter of the run; None if it is closed."""
        return self.smw.file_writer

    @staticmethod
    def getSummaryWriter() -> "GlobalSummaryWriter":
        """Returns the writer of this program; the first call creates it."""
        if GlobalSummaryWriter._global is None:
            GlobalSummaryWriter._global = GlobalSummaryWriter()
            print("Using the global logger in:", GlobalSummaryWriter._global.smw.logdir)
        return GlobalSummaryWriter._global
