"""A second parser of event files, written from docs/formats/. It shares no code with the program
under test. The oracle of chaos.py."""

import functools
import re
import struct

from logs import fields
from masked_crc import masked_crc

crc = functools.lru_cache(maxsize=400_000)(masked_crc)
ZEROS = re.compile(rb"\0*")


def record_end(data, at):
    """Returns the end of the whole record at `at`; 0 if there is no record; infinity if the end of
    the file truncates it.
    """
    if at + 12 > len(data) or struct.unpack_from("<I", data, at + 8)[0] != crc(data[at : at + 8]):
        return 0
    end = at + 16 + struct.unpack_from("<Q", data, at)[0]
    if end > len(data):
        return float("inf")
    return end if struct.unpack_from("<I", data, end - 4)[0] == crc(data[at + 12 : end - 4]) else 0


def parse(data):
    """Returns the payloads of all whole records, and the damaged ranges [offset, bytes]."""
    payloads, damage, at = [], [], 0
    while at + 12 <= len(data):
        if 0 < (end := record_end(data, at)) <= len(data):
            payloads.append(data[at + 12 : end - 4])
            at = end
            continue
        cut, place = [at] if end else [], at + 1
        while place + 12 <= len(data) and not 0 < (end := record_end(data, place)) <= len(data):
            cut += [place] if end else []
            # No header consists only of zeros.
            place = max(place + 1, ZEROS.match(data, place).end() - 11)
        if place + 12 > len(data):  # Readers wait for the rest of the first truncated record.
            damage += [[at, (cut[0] if cut else place) - at]]
            break
        damage += [[at, place - at]]
        at = place
    return payloads, [entry for entry in damage if entry[1] > 0]


def points(payloads):
    """Returns {tag: [(step, wall time, value), …]} with float and text values, as TensorBoard shows
    them: in files of version 1, a step that goes back removes the later points of its tag."""
    series, is_version_2, newest = {}, False, 0
    for event in (dict(fields(payload)) for payload in payloads):
        step, (wall_time,) = event.get(2, 0), struct.unpack("<d", event[1])
        is_version_2 = event.get(3) == b"brain.Event:2" if 3 in event else is_version_2
        for _, value in fields(event.get(5, b"")):
            content = dict(fields(value))
            known = series.setdefault(content[1].decode(), [])
            if not is_version_2 and step < newest:
                known[:] = [point for point in known if point[0] < step]
            text = dict(fields(content[8]))[8].decode() if 8 in content else None
            known.append((step, wall_time, text or struct.unpack("<f", content[2])[0]))
        newest = step if 5 in event and not is_version_2 else newest
    return series
