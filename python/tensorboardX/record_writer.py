"""Records, local and on object stores."""

import re

from compression_board import _engine
from compression_board.event_files import (
    RecordWriter,
    directory_check,
    open_file,
    register_writer_factory,
)
from compression_board.remote import GCSRecordWriter, S3RecordWriter, register

__all__ = [
    "GCSRecordWriter",
    "RecordWriter",
    "S3RecordWriter",
    "directory_check",
    "open_file",
    "register",
    "register_writer_factory",
]

_VALID_FIRST = re.compile(r"[A-Za-z0-9.]")
_VALID_RUNS = re.compile(r"[A-Za-z0-9_.\-/]+")


def u32(x: int) -> int:
    return x & 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    return _engine.masked_crc32c(bytes(data))


def make_valid_tf_name(name: str) -> str:
    """`name` with everything that TensorFlow does not allow in names replaced."""
    if not _VALID_FIRST.match(name):
        name = "." + name
    return "_".join(_VALID_RUNS.findall(name))


register(register_writer_factory)
