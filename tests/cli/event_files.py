"""Reads and writes event files without any of the code under test.

Supports only what these tests need: records with their checksums, and scalars.
"""

import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "support"))
from masked_crc import masked_crc  # noqa: E402


def record(payload):
    length = struct.pack("<Q", len(payload))
    return b"".join(
        [length, struct.pack("<I", masked_crc(length)), payload, struct.pack("<I", masked_crc(payload))]
    )


def records(data):
    """Returns the payloads of a whole file; raises ValueError if a checksum or the end is wrong."""
    payloads = []
    while data:
        if len(data) < 16:
            raise ValueError("torn record")
        (length,) = struct.unpack("<Q", data[:8])
        payload, footer = data[12 : 12 + length], data[12 + length : 16 + length]
        if data[8:12] != struct.pack("<I", masked_crc(data[:8])):
            raise ValueError("length checksum")
        if footer != struct.pack("<I", masked_crc(payload)):
            raise ValueError("payload checksum")
        payloads.append(payload)
        data = data[16 + length :]
    return payloads


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def scalar_event(tag, value, step, wall_time=1.0):
    name = tag if isinstance(tag, bytes) else tag.encode()
    content = b"\x0a" + varint(len(name)) + name + b"\x15" + struct.pack("<f", value)
    summary = b"\x0a" + varint(len(content)) + content
    return (
        b"\x09" + struct.pack("<d", wall_time) + b"\x10" + varint(step)
        + b"\x2a" + varint(len(summary)) + summary
    )


def fields(data):
    position = 0

    def varint():
        nonlocal position
        value, shift = 0, 0
        while True:
            byte = data[position]
            position += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    while position < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}[key & 7] if key & 7 != 2 else varint()
        yield key >> 3, data[position : position + size]
        position += size


def scalars(directory):
    """Returns {tag: [(step, value), …]} of all event files directly in `directory`."""
    found = {}
    for path in sorted(pathlib.Path(directory).glob("*tfevents*")):
        for payload in records(path.read_bytes()):
            event = dict(fields(payload))
            for number, value in fields(event.get(5, b"")):
                content = dict(fields(value))
                if number == 1 and 2 in content:
                    point = (event.get(2, 0), struct.unpack("<f", content[2])[0])
                    found.setdefault(content[1].decode(), []).append(point)
    return found
