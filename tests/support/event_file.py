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
from event_files import record, scalar_event  # noqa: E402


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
