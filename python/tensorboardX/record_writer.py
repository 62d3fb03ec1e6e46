"""Writes files of records, on the local disk and in object stores."""

import re

from compression_board import _engine
from compression_board.event_files import (
    REGISTERED_FACTORIES,
    RecordWriter,
    directory_check,
    open_file,
    register_writer_factory,
)
from compression_board.remote import (
    GCSRecordWriter,
    GCSRecordWriterFactory,
    S3RecordWriter,
    S3RecordWriterFactory,
)

__all__ = [
    "REGISTERED_FACTORIES",
    "GCSRecordWriter",
    "GCSRecordWriterFactory",
    "RecordWriter",
    "S3RecordWriter",
    "S3RecordWriterFactory",
    "directory_check",
    "open_file",
    "register_writer_factory",
]

_VALID_FIRST = re.compile(r"[A-Za-z0-9.]")
_VALID_RUNS = re.compile(r"[A-Za-z0-9_.\-/]+")


def u32(x: int) -> int:
    return x & 0xFFFFFFFF


def masked_crc32c(data: bytes) -> int:
    return _engine.masked_crc32c(bytes(data))


def make_valid_tf_name(name: str) -> str:
    """Returns `name` with "_" for the characters that TensorFlow does not allow in names."""
    if not _VALID_FIRST.match(name):
        name = "." + name
    return "_".join(_VALID_RUNS.findall(name))

