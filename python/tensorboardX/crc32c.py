"""Computes CRC-32C in C++."""

from compression_board import _engine


def crc32c(data: bytes) -> int:
    return _engine.crc32c(bytes(data))


_crc32c = crc32c
_crc32c_native = crc32c
