"""Event files, byte by byte: without any of the code under test.

    with EventFile(logdir / "train") as file:
        file.scalar("loss", 0.5, step=3)      # On disk when it returns.
"""

import os
import pathlib
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from masked_crc import masked_crc  # noqa: E402


def varint(number):
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def field(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def record(payload):
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked_crc(length)) + payload + struct.pack("<I", masked_crc(payload))


def scalar_event(tag, value, step, wall_time):
    """Event{wall_time, step, summary{value{tag, simple_value}}}"""
    value_bytes = field(1, tag.encode()) + b"\x15" + struct.pack("<f", value)
    return b"\x09" + struct.pack("<d", wall_time) + b"\x10" + varint(step) + field(5, field(1, value_bytes))


class EventFile:
    def __init__(self, directory, name=None, wall_time=None):
        directory = pathlib.Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        self.path = directory / (name or f"events.out.tfevents.{int(time.time())}.host.{os.getpid()}.0")
        self.file = open(self.path, "ab", buffering=0)
        self.file.write(record(b"\x09" + struct.pack("<d", time.time() if wall_time is None else wall_time) + field(3, b"brain.Event:2")))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def scalar(self, tag, value, step, wall_time=None):
        self.file.write(record(scalar_event(tag, value, step, time.time() if wall_time is None else wall_time)))
