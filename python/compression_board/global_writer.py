"""One SummaryWriter for a whole program, its forked processes included."""

from __future__ import annotations

import json
import mmap
import multiprocessing
from typing import Any, Optional

from .writer import SummaryWriter

_SHARED_BYTES = 16 << 20  # Only what is used takes memory.


class _SharedCounters:
    """Counters by name, shared by a process and the ones forked from it."""

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, _SHARED_BYTES)
        self._lock = multiprocessing.get_context("fork").Lock()

    def next(self, name: str) -> int:
        with self._lock:
            size = int.from_bytes(self._memory[:8], "little")
            counts = json.loads(self._memory[8 : 8 + size]) if size else {}
            count = counts.get(name, 0)
            counts[name] = count + 1
            text = json.dumps(counts).encode()
            if len(text) + 8 > _SHARED_BYTES:
                raise ValueError("too many different tags for a GlobalSummaryWriter")
            self._memory[8 : 8 + len(text)] = text
            self._memory[:8] = len(text).to_bytes(8, "little")
            return count


class GlobalSummaryWriter:
    """Counts the steps of each tag by itself, so that any process may add the next point."""

    _global: Optional["GlobalSummaryWriter"] = None

    def __init__(self, logdir=None, comment="", purge_step=None, max_queue=10, flush_secs=120,
                 filename_suffix="", write_to_disk=True, log_dir=None, coalesce_process=True,
                 **kwargs):  # fmt: skip
        self.smw = SummaryWriter(
            logdir=logdir, comment=comment, purge_step=purge_step, max_queue=max_queue,
            flush_secs=flush_secs, filename_suffix=filename_suffix, write_to_disk=write_to_disk,
            log_dir=log_dir,
        )  # fmt: skip
        self._counters = _SharedCounters()

    def _next_step(self, kind: str, tag: str) -> int:
        return self._counters.next(f"{kind}/{tag}")

    def add_scalar(self, tag: str, scalar_value: Any, walltime: Optional[float] = None) -> None:
        self.smw.add_scalar(tag, scalar_value, self._next_step("scalar", tag), walltime)

    def add_image(self, tag, img_tensor, walltime=None, dataformats="CHW"):
        self.smw.add_image(tag, img_tensor, self._next_step("image", tag), walltime, dataformats)

    def add_text(self, tag, text_string, walltime=None):
        self.smw.add_text(tag, text_string, self._next_step("text", tag), walltime)

    def close(self) -> None:
        self.smw.close()

    @property
    def file_writer(self):
        return self.smw.file_writer

    @staticmethod
    def getSummaryWriter() -> "GlobalSummaryWriter":
        """The one writer of this program; made at the first call."""
        if GlobalSummaryWriter._global is None:
            GlobalSummaryWriter._global = GlobalSummaryWriter()
            print("Using the global logger in:", GlobalSummaryWriter._global.smw.logdir)
        return GlobalSummaryWriter._global
