"""An event file that grows, written without any of the code under test.

    with EventFile(logdir / "train") as file:
        file.scalar("loss", 0.5, step=3)      # In the file when it returns.
"""

import os
import pathlib
import struct
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from event_files import record, scalar_event, varint  # noqa: E402


def field(number, payload):
    """Returns a length-delimited field of a protobuf message."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


class EventFile:
    def __init__(self, directory, name=None, wall_time=None):
        directory = pathlib.Path(directory)
        directory.mkdir(parents=True, exist_ok=True)
        self.path = directory / (name or f"events.out.tfevents.{int(time.time())}.host.{os.getpid()}.0")
        self.file = open(self.path, "ab", buffering=0)
        first = time.time() if wall_time is None else wall_time
        self.file.write(record(b"\x09" + struct.pack("<d", first) + b"\x1a\x0dbrain.Event:2"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()

    def scalar(self, tag, value, step, wall_time=None):
        self.file.write(record(scalar_event(tag, value, step, time.time() if wall_time is None else wall_time)))

    def image(self, tag, encoded, step):
        """Returns Summary.Value{tag, image{height, width, colorspace, encoded_image_string}} for
        any bytes.
        """
        self.value(tag, 4, b"\x08\x01\x10\x01\x18\x03" + field(4, encoded), step)

    def value(self, tag, number, payload, step):
        """Returns Summary.Value{tag, field `number`} for any payload."""
        value = field(1, tag.encode()) + field(number, payload)
        self.file.write(record(b"\x09" + struct.pack("<d", time.time()) + b"\x10" + varint(step) + field(5, field(1, value))))
