"""Reads event files without any of the code under test: records, their checksums, and steps."""

import pathlib
import struct
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent / "support"))
from masked_crc import masked_crc  # noqa: E402

_crc_of_length = {}


class Damage(Exception):
    """Raised for bytes that no writer, interrupted or not, may leave in a file."""


def records(path):
    """Returns the payloads of a file, and the number of bytes of a truncated record after the last
    whole one.

    Only the end may be truncated: a wrong checksum raises Damage.
    """
    data = pathlib.Path(path).read_bytes()
    payloads, at = [], 0
    while at + 12 <= len(data):
        length, length_crc = struct.unpack_from("<QI", data, at)
        if length not in _crc_of_length:
            _crc_of_length[length] = masked_crc(data[at : at + 8])
        if length_crc != _crc_of_length[length]:
            raise Damage(f"{path}: length checksum at offset {at}")
        end = at + 12 + length + 4
        if end > len(data):
            break
        payload = data[at + 12 : end - 4]
        if struct.unpack_from("<I", data, end - 4)[0] != masked_crc(payload):
            raise Damage(f"{path}: payload checksum at offset {at}")
        payloads.append(payload)
        at = end
    return payloads, len(data) - at


def _varint(data, at):
    value, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _scalar(payload):
    """Returns (tag, step, value) of a scalar event; None for the events that begin a file.

    wall_time:double=1 step:varint=2 summary=5 { value=1 { tag=1 simple_value:float=2 } }
    """
    step, at = _varint(payload, 10) if payload[9] == 0x10 else (0, 9)
    if payload[0] != 0x09 or payload[at] != 0x2A:
        return None
    _, at = _varint(payload, at + 1)  # The summary.
    _, at = _varint(payload, at + 1)  # Its value.
    tag_size, at = _varint(payload, at + 1)
    tag = payload[at : at + tag_size].decode()
    (value,) = struct.unpack_from("<f", payload, at + tag_size + 1)
    return tag, step, value


def event_files(directory):
    return sorted(pathlib.Path(directory).glob("*tfevents*"))


def steps_by_tag(path):
    """Returns {tag: [step, …]} of one file, in its order. A value that differs from its step raises
    Damage.
    """
    steps = {}
    for payload in records(path)[0]:
        scalar = _scalar(payload)
        if scalar is None:
            continue
        tag, step, value = scalar
        if struct.pack("<f", step) != struct.pack("<f", value):
            raise Damage(f"{path}: step {step} of {tag} holds {value}")
        steps.setdefault(tag, []).append(step)
    return steps
