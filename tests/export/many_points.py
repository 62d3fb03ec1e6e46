"""Writes event files of many scalars at once: a record's bytes are a row of a NumPy array.

Uses none of the code under test; tests/support/event_file.py writes one by one, which takes a
minute for a million.
"""

import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import masked_crc  # noqa: E402

CRC_TABLE = np.array(masked_crc.CRC_TABLE, np.uint32)


def masked_crcs(rows):
    crc = np.full(len(rows), 0xFFFFFFFF, np.uint32)
    for column in rows.T:
        crc = CRC_TABLE[(crc ^ column) & 0xFF] ^ (crc >> np.uint32(8))
    crc ^= np.uint32(0xFFFFFFFF)
    return (crc >> np.uint32(15) | crc << np.uint32(17)) + np.uint32(0xA282EAD8)


def as_bytes(numbers, dtype):
    return np.asarray(numbers, dtype).reshape(-1, 1).view(np.uint8)


def varints(numbers):
    """Encodes varints with ten bytes, which protobuf allows."""
    numbers = np.asarray(numbers, np.int64).astype(np.uint64)
    parts = [(numbers >> np.uint64(7 * i) & np.uint64(0x7F)) | np.uint64(0x80 * (i < 9)) for i in range(10)]
    return np.stack(parts, axis=1).astype(np.uint8)


def write_scalars(directory, tag, steps, wall_times, values):
    """Writes one tag in a separate file. Values are float32; tags have fewer than 100 bytes."""
    count = len(steps)

    def repeated(text):
        return np.tile(np.frombuffer(text, np.uint8), (count, 1))

    name = b"\x0a" + bytes([len(tag.encode())]) + tag.encode()
    payload = np.hstack([
        repeated(b"\x09"), as_bytes(wall_times, "<f8"), repeated(b"\x10"), varints(steps),
        repeated(b"\x2a" + bytes([len(name) + 7]) + b"\x0a" + bytes([len(name) + 5]) + name + b"\x15"),
        as_bytes(values, "<f4"),
    ])
    length = as_bytes(np.full(count, payload.shape[1]), "<u8")
    records = np.hstack([
        length, as_bytes(masked_crcs(length), "<u4"), payload, as_bytes(masked_crcs(payload), "<u4")])
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    number = len(list(directory.iterdir()))
    (directory / f"events.out.tfevents.{number}.host").write_bytes(records.tobytes())
